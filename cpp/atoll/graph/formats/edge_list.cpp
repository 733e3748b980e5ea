// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>

// Edge lists: one edge per line, in the common dialects. The first lines determine the dialect:
//
//   # comment, % comment, // comment         skipped, anywhere
//   source,target,weight                     column names: no field is a number
//   26475,53381,u,graph                      Graphs.jl: vertices, edges, u or d; ids from 1
//   3353 (and on the next line) 8870         vertices, then edges; ids from 0
//   # atoll: vertices 1..34 undirected       the comment written by write_edges()
namespace atl {
namespace {

struct EdgeListLayout {
  LineShape shape;
  std::uint64_t from = 0;
  std::int64_t first_line = 1;
  std::optional<bool> directed;
  std::optional<IdRange> range;
  std::int64_t promised = -1;  // number of edges, from the line `promise_line`
  std::int64_t promise_line = 0;
};

constexpr std::array kSourceNames = {"source", "src",      "from",    "u",    "tail",       "start",
                                     "node1",  "node_1",   "id1",     "id_1", "fromnodeid", "source_id",
                                     "src_id", "sourceid", "vertex1", "a"};
constexpr std::array kTargetNames = {"target",   "dst",       "dest",   "destination", "to",      "v",
                                     "head",     "end",       "node2",  "node_2",      "id2",     "id_2",
                                     "tonodeid", "target_id", "dst_id", "targetid",    "vertex2", "b"};
constexpr std::array kWeightNames = {"weight", "weights", "w",        "wt",   "wgt",    "value",
                                     "val",    "cost",    "distance", "dist", "length", "len"};

using Fields = std::vector<std::string_view>;

std::string_view without_quotes(std::string_view field) {
  if (field.size() >= 2 && field.front() == field.back() && (field.front() == '"' || field.front() == '\''))
    return field.substr(1, field.size() - 2);
  return field;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <std::size_t N>
int find_name(const Fields& names, const std::array<const char*, N>& known) {
  for (const char* name : known)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (same_word(without_quotes(names[i]), name)) return static_cast<int>(i);
  return -1;
}

std::string joined(const Fields& names) {
  std::string all;
  for (const auto name : names) all += fmt::format("{}{}", all.empty() ? "" : " ", name);
  return all;
}

// The column that an option selects, by number or by name.
int chosen_column(const HeadLines& lines, const std::string& column, const Fields& names, const char* option,
                  const std::string& place) {
  if (const std::int64_t number = header_number(column); number >= 0) {
    if (number < 1 || number > 10000)
      throw UsageError(fmt::format("{} is {} (columns count from 1). Correct it.", option, column));
    return static_cast<int>(number - 1);
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (same_word(without_quotes(names[i]), column)) return static_cast<int>(i);
  if (names.empty())
    lines.fail(fmt::format("{} is {} (the file has no line of names). Give the number of the column.", option,
                           in_quotes(column)));
  throw InputError(fmt::format("{}: {} is {} (the columns are: {}). Name one of them.", place, option,
                               in_quotes(column), joined(names)));
}

// "# atoll: vertices 1..34 undirected"
void read_own_comment(std::string_view line, EdgeListLayout& layout) {
  constexpr std::string_view kOurs = "# atoll: vertices ";
  if (!line.starts_with(kOurs)) return;
  line.remove_prefix(kOurs.size());
  const std::size_t dots = line.find(".."), blank = line.find(' ');
  if (dots == std::string_view::npos || blank == std::string_view::npos || dots > blank) return;
  const Vertex first = header_number(line.substr(0, dots)),
               last = header_number(line.substr(dots + 2, blank - dots - 2));
  if (first >= 0 && first <= last && last <= kMaxVertex) layout.range = IdRange{first, last - first + 1};
  layout.directed = line.substr(blank + 1).starts_with("directed");
}

// Up to `most` non-empty lines from `lines` on, each split into its fields.
std::vector<Fields> data_ahead(HeadLines lines, Fields first, std::size_t most) {
  std::vector<Fields> ahead{std::move(first)};
  try {
    while (ahead.size() < most && lines.next()) {
      auto fields = fields_of(lines.line());
      if (!fields.empty() && !std::strchr("#%/", fields[0].empty() ? ',' : fields[0][0]))
        ahead.push_back(std::move(fields));
    }
  } catch (const HeadLines::TooShort&) {
    // The lines read so far suffice.
  }
  return ahead;
}

// Rejects text that would parse as edges but is something else.
void check_columns(const HeadLines& lines, const std::vector<Fields>& ahead) {
  if (ahead[0].size() < 4) return;
  bool whole = true, varies = false, counts = ahead.size() > 3;
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    varies |= ahead[i].size() != ahead[0].size();
    for (const auto field : ahead[i]) whole &= header_number(field) >= 0;
    counts &= header_number(ahead[i][0]) == header_number(ahead[0][0]) + static_cast<std::int64_t>(i);
  }
  if (whole && varies)
    lines.fail(
        "lines differ in their number of columns (this looks like a list of neighbours, not of edges). "
        "Convert it to one edge a line.");
  if (counts)
    lines.fail(
        fmt::format("the first of {} columns counts the lines (it looks like the number of the edge). Say "
                    "which columns are source and target.",
                    ahead[0].size()));
}

EdgeListLayout conclude(const std::string& path, const Head& head, const ReadOptions& options) {
  EdgeListLayout layout;
  HeadLines lines(path, head);
  Fields names, fields;
  std::int64_t names_line = 0;
  const bool columns_given = !options.source_column.empty() || !options.target_column.empty();
  for (;;) {
    if (!lines.next()) {
      throw InputError(
          fmt::format("{}: holds no edge (its {} line{} are comments, names or blank). Check how it was written.", path,
                      lines.number(), lines.number() == 1 ? "" : "s"));
    }
    const std::string_view line = lines.line();
    fields = fields_of(line);
    if (fields.empty() || line.starts_with("//") ||
        (!fields[0].empty() && (fields[0][0] == '#' || fields[0][0] == '%'))) {
      read_own_comment(line, layout);
      continue;
    }
    if (fields.size() >= 4 && (fields[2] == "u" || fields[2] == "d") && fields[3] == "graph") {  // Graphs.jl
      const std::int64_t n = header_number(fields[0]), m = header_number(fields[1]);
      if (n >= 0 && m >= 0 && n <= kMaxVertex) {
        check_promise(lines, head, m, 4, "edges");
        layout.range = IdRange{1, n};
        layout.directed = fields[2] == "d";
        layout.promised = m;
        layout.promise_line = lines.number();
        continue;
      }
    }
    if (fields.size() == 1 && header_number(fields[0]) >= 0 &&
        !layout.range) {  // vertices, then edges, on lines of their own
      HeadLines ahead = lines;
      if (ahead.next()) {
        const Fields second = fields_of(ahead.line());
        const std::int64_t n = header_number(fields[0]), m = second.size() == 1 ? header_number(second[0]) : -1;
        if (m >= 0 && n <= kMaxVertex) {
          lines = ahead;
          check_promise(lines, head, m, 4, "edges");
          layout.range = IdRange{0, n};
          layout.promised = m;
          layout.promise_line = lines.number();
          continue;
        }
      }
    }
    if (names.empty() && fields.size() >= 2 && std::none_of(fields.begin(), fields.end(), is_number)) {
      // These are column names if numbers follow; otherwise ids are words, which is an error reported below.
      const auto ahead = data_ahead(lines, fields, 2);
      if (ahead.size() > 1 && std::any_of(ahead[1].begin(), ahead[1].end(), is_number)) {
        names = fields;
        names_line = lines.number();
        continue;
      }
    }
    break;
  }
  layout.from = lines.offset();
  layout.first_line = lines.number();

  LineShape& shape = layout.shape;
  const std::string names_place = fmt::format("{}:{}", path, names_line);
  if (!names.empty() && !columns_given) {
    const int source = find_name(names, kSourceNames), target = find_name(names, kTargetNames);
    if (source >= 0 && target >= 0) {
      shape.source = source;
      shape.target = target;
    }
  }
  if (!options.source_column.empty())
    shape.source = chosen_column(lines, options.source_column, names, "source_column", names_place);
  if (!options.target_column.empty())
    shape.target = chosen_column(lines, options.target_column, names, "target_column", names_place);
  if (shape.source == shape.target)
    throw UsageError(fmt::format("source and target are both column {} (an edge has two ends). Name two columns.",
                                 shape.source + 1));

  const bool plain = names.empty() && !columns_given && options.weight_column.empty();
  if (options.weights != ReadOptions::Weights::none) {
    if (!options.weight_column.empty()) {
      shape.weight = chosen_column(lines, options.weight_column, names, "weight_column", names_place);
    } else if (!names.empty()) {
      shape.weight = find_name(names, kWeightNames);
    } else if (!columns_given && fields.size() >= 3 && is_number(fields[2])) {
      shape.weight = 2;
    }
    const bool required = options.weights == ReadOptions::Weights::required || (plain && has_ending(path, ".wel"));
    if (required && shape.weight < 0) {
      if (!names.empty())
        throw InputError(fmt::format("{}: has no weights (the columns are: {}). Name the column of the weights.",
                                     names_place, joined(names)));
      lines.fail(
          fmt::format("has no weights (the line has {} columns). Name the column of the weights, or read without them.",
                      fields.size()));
    }
  }
  if (plain) {
    check_columns(lines, data_ahead(lines, fields, 16));
    if (fields.size() == 2 || (fields.size() >= 3 && (shape.weight >= 0 || is_number(fields[2]))))
      shape.most_columns = static_cast<int>(fields.size());
  }
  if (layout.range) {
    shape.lowest = layout.range->first;
    shape.highest = layout.range->first + layout.range->count - 1;
    shape.range_rule = layout.range->count == 0
                           ? "(the header says that there are no vertices). Correct the edge or the header."
                           : fmt::format("(the header says ids {} to {}). Correct the edge or the header.",
                                         shape.lowest, shape.highest);
  }
  return layout;
}

}  // namespace

EdgeList read_edge_list(World& world, const std::string& path, Head& head, const ReadOptions& options) {
  const EdgeListLayout layout = from_head(world, path, head, [&](const Head& h) { return conclude(path, h, options); });
  LineParser parser(world, layout.shape, expected_share(world, head, 4));
  for_each_block(world, path, {.from = layout.from, .first_line = layout.first_line, .file_bytes = head.file_bytes},
                 parser.work());
  EdgeList edges;
  parser.columns().finish(world, edges);
  edges.directed = options.directed.value_or(layout.directed.value_or(true));
  edges.range = layout.range;
  if (layout.promised >= 0) {
    const auto m = world.sum(static_cast<std::int64_t>(edges.size()));
    check(m == layout.promised,
          "{}:{}: the header promises {} edges (the file has {}). The file is cut off, or its header is wrong.", path,
          layout.promise_line, layout.promised, m);
  }
  return edges;
}

}  // namespace atl
