// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/formats/adjacency_matrix.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/table/edge_columns.hpp>
#include <atoll/graph/table/matrix_text.hpp>

// Edge lists: one edge per line, in the common dialects. The first lines determine the dialect (graph/table):
//
//   # comment, % comment, // comment         skipped, anywhere; those before the first edge may say something
//   source,target,weight                     headings: no field is a number
//   26475,53381,u,graph                      Graphs.jl: vertices, edges, u or d; ids from 1
//   3353 (and on the next line) 8870         vertices, then edges; ids from 0
//   3353 8870                                the same, where so many edges follow
//   0,1,0 (and so on)                        a matrix (formats/adjacency_matrix.hpp)
namespace atl {
namespace {

struct Counts {
  IdRange range;
  std::int64_t edges = -1;
  std::int64_t line = 0;
};

struct EdgeListLayout {
  LineShape shape;
  std::uint64_t from = 0;
  std::int64_t first_line = 1;
  table::CommentFacts comments;
  std::optional<bool> directed;
  std::optional<Counts> counts;    // said by the first lines
  bool counts_are_certain = true;  // else they may be an edge
  bool no_edges = false;
  std::optional<table::MatrixText> matrix;
  char delimiter = ' ';
  std::uint64_t matrix_from = 0;
  std::string described;
  bool worth_saying = false;
};

using Row = table::TextRow;

std::int64_t whole(const Row& row, std::size_t field) {
  return field < row.fields.size() ? header_number(row.fields[field]) : -1;
}

void check_promise(const std::string& path, const Head& head, const Row& row, std::uint64_t behind,
                   std::int64_t edges) {
  const std::uint64_t left = head.most_text_bytes - std::min(head.most_text_bytes, behind), most = (left + 1) / 4;
  check(static_cast<std::uint64_t>(edges) <= most,
        "{}:{}: the header promises {} edges (a file of {} bytes can hold {} at most). The file is cut off, or its "
        "header "
        "is wrong.",
        path, row.number, edges, head.file_bytes, most);
}

// Counts in the first lines that can be nothing else. Returns the number of lines that they take.
std::size_t take_counts(const std::string& path, const Head& head, const table::TextTable& text,
                        EdgeListLayout& layout) {
  const Row& first = text.rows[0];
  const auto behind = [&](std::size_t row) {
    return row + 1 < text.rows.size() ? text.rows[row + 1].begin : head.text.size();
  };
  const bool direction = first.fields.size() >= 4 && (first.fields[2] == "u" || first.fields[2] == "d");
  if (direction && first.fields[3] == "graph") {  // Graphs.jl
    const std::int64_t n = whole(first, 0), m = whole(first, 1);
    if (n < 0 || m < 0 || n > kMaxVertex) return 0;
    check_promise(path, head, first, behind(0), m);
    layout.counts = Counts{{1, n}, m, first.number};
    layout.directed = first.fields[2] == "d";
    return 1;
  }
  if (first.fields.size() != 1 || whole(first, 0) < 0 || layout.comments.range || text.rows.size() < 2) return 0;
  const Row& second = text.rows[1];
  if (second.fields.size() == 1 && whole(second, 0) >= 0 && whole(first, 0) <= kMaxVertex) {
    check_promise(path, head, second, behind(1), whole(second, 0));
    layout.counts = Counts{{0, whole(first, 0)}, whole(second, 0), second.number};
    return 2;
  }
  return 0;
}

// "5 4" above four edges of vertices 0 to 4, or 1 to 5; "5 5 4" above entries of a matrix; "5" above edges.
std::optional<Counts> possible_counts(const table::TextTable& text, const Head& head) {
  if (text.rows.size() < 2) return {};
  const Row& first = text.rows[0];
  const std::size_t numbers = first.fields.size();
  if (numbers > 3 || numbers < 1) return {};
  for (std::size_t i = 0; i < numbers; ++i)
    if (whole(first, i) < 0) return {};
  const bool square = numbers == 3 && whole(first, 0) == whole(first, 1);
  if (numbers == 3 && !square) return {};
  const std::int64_t n = whole(first, 0), m = numbers == 1 ? -1 : whole(first, numbers - 1);
  if (n < 1 || n > kMaxVertex || m == 0) return {};
  std::int64_t least = INT64_MAX, most = -1;
  for (std::size_t r = 1; r < text.rows.size(); ++r) {
    const Row& row = text.rows[r];
    if (row.fields.size() < 2) return {};
    for (const std::size_t i : {0, 1}) {
      least = std::min(least, whole(row, i));
      most = std::max(most, whole(row, i));
    }
  }
  if (least < 0 || most > n || (least == 0 && most == n) || (square && least < 1)) return {};
  const auto seen = static_cast<std::int64_t>(text.rows.size()) - 1;
  if (m >= 0 && (text.complete ? m != seen : m < seen)) return {};
  if (m >= 0 && !text.complete) {  // lines of 4 to 80 bytes
    const auto left = static_cast<double>(head.expected_text_bytes - std::min(head.expected_text_bytes, first.begin));
    if (left < 4.0 * static_cast<double>(m) ||
        (head.file_bytes == head.most_text_bytes && left > 80.0 * static_cast<double>(m)))
      return {};
  }
  return Counts{{least == 0 ? 0 : 1, n}, m, first.number};
}

// Rejects text that would parse as edges but is something else.
void check_columns(const std::string& path, const table::TextTable& text, std::size_t first) {
  constexpr std::size_t kLooked = 16;
  const std::size_t end = std::min(text.rows.size(), first + kLooked);
  const auto& begin = text.rows[first];
  if (begin.fields.size() < 4) return;
  bool whole_numbers = true, varies = false, counts = end - first > 3;
  for (std::size_t r = first; r < end; ++r) {
    varies |= text.rows[r].fields.size() != begin.fields.size();
    for (const std::string& field : text.rows[r].fields) whole_numbers &= header_number(field) >= 0;
    counts &= whole(text.rows[r], 0) == whole(begin, 0) + static_cast<std::int64_t>(r - first);
  }
  check(!whole_numbers || !varies,
        "{}:{}: lines differ in their number of columns (this looks like a list of neighbours, not of edges). "
        "Convert it to one edge a line.",
        path, begin.number);
  check(!counts,
        "{}:{}: the first of {} columns counts the lines (it looks like the number of the edge). Say "
        "which columns are source and target.",
        path, begin.number, begin.fields.size());
}

// "1,2,3,5": a weight of 3.5, or one of 3 and a time? Times have more digits.
void check_decimal_commas(const std::string& path, const table::TextTable& text, std::size_t first) {
  constexpr std::size_t kFractionDigits = 3;
  if (text.delimiter != ',') return;
  for (std::size_t r = first; r < text.rows.size(); ++r) {
    const Row& row = text.rows[r];
    if (row.fields.size() != 4) return;
    for (std::size_t i = 0; i < 4; ++i)
      if (whole(row, i) < 0 || (i == 3 && row.fields[i].size() > kFractionDigits)) return;
  }
  throw InputError(
      fmt::format("{}:{}: the line is {} (a weight {}.{} with a decimal comma, or two columns?). Write points, or "
                  "quotes around such "
                  "numbers; or say the columns: --source-column 1 --target-column 2 and maybe --weight-column 3, "
                  "source=1, target=2 and maybe weight=3 in Python.",
                  path, text.rows[first].number, in_quotes(text.rows[first].line), text.rows[first].fields[2],
                  text.rows[first].fields[3]));
}

table::UseWeights use_of(ReadOptions::Weights weights) {
  return weights == ReadOptions::Weights::none       ? table::UseWeights::none
         : weights == ReadOptions::Weights::required ? table::UseWeights::required
                                                     : table::UseWeights::automatic;
}

EdgeListLayout edge_list_layout(const std::string& path, const Head& head, const ReadOptions& options) {
  EdgeListLayout layout;
  const table::TextTable text = table::read_first_rows(path, head, {.delimiter = options.delimiter});
  layout.comments = text.comments;
  layout.delimiter = text.delimiter;
  const bool forced_matrix = options.format == "matrix";
  std::size_t first = 0;
  if (!text.rows.empty() && !forced_matrix && options.headings != false) first = take_counts(path, head, text, layout);
  const bool columns_given = !options.source_column.empty() || !options.target_column.empty();
  table::EdgeTableOptions columns{.headings = options.headings,
                                  .source = options.source_column,
                                  .target = options.target_column,
                                  .weight = options.weight_column,
                                  .weights = use_of(options.weights),
                                  .decimal = options.decimal};
  const bool only_headings =
      text.complete && first + 1 == text.rows.size() && table::is_heading_row(text, first, columns);
  if (first >= text.rows.size() || only_headings) {
    // The file that convert writes for a graph without edges names its vertices.
    layout.no_edges = layout.comments.range.has_value() || (layout.counts && layout.counts->edges == 0);
    check(layout.no_edges, "{}: holds no edge (its {} line{} are comments, names or blank). Check how it was written.",
          path, text.lines, text.lines == 1 ? "" : "s");
    return layout;
  }
  if (!columns_given && options.weight_column.empty() && !layout.counts) {
    if (!forced_matrix) check_columns(path, text, first);
    layout.matrix = table::matrix_in(path, text, first, forced_matrix);
    if (layout.matrix) {
      layout.from = text.rows[layout.matrix->row].begin;
      layout.first_line = text.rows[layout.matrix->row].number;
      return layout;
    }
    if (options.weights != ReadOptions::Weights::none) check_decimal_commas(path, text, first);
  }
  if (!layout.counts && !layout.comments.range && !columns_given && options.headings.value_or(true)) {
    if (auto counts = possible_counts(text, head)) {
      layout.counts = counts;
      layout.counts_are_certain = counts->edges < 0 || options.headings.has_value() ||
                                  (text.rows[1].fields.size() != text.rows[0].fields.size());
      first = 1;
      columns.headings = false;
    }
  }
  const table::EdgeTable found = table::find_edge_columns(path, text, first, columns);
  const Row& edge = text.rows[found.row];
  layout.from = edge.begin;
  layout.first_line = edge.number;
  layout.described = found.described;
  layout.worth_saying = found.worth_saying;
  if (has_ending(path, ".wel") && options.weights == ReadOptions::Weights::automatic && !columns_given)
    check(found.choice.weight || !found.weight_key.empty(),
          "{}:{}: has no weights (the line has {} columns). Name the column of the weights, or read without them.",
          path, edge.number, found.columns);

  LineShape& shape = layout.shape;
  shape.delimiter = text.delimiter;
  shape.drop_missing = leaves_out_missing(options.missing, !found.headings.empty());
  shape.leading_zeros = options.leading_zeros;
  shape.source = static_cast<int>(found.choice.source);
  shape.target = static_cast<int>(found.choice.target);
  shape.weight = found.choice.weight ? static_cast<int>(*found.choice.weight) : -1;
  shape.weight_key = found.weight_key;
  shape.weight_signs = found.weight_signs;
  shape.id_group = found.id_group;
  const bool plain = found.headings.empty() && !columns_given && options.weight_column.empty();
  const bool numbers =
      found.columns == 2 || (found.columns >= 3 && (shape.weight >= 0 || table::is_number(edge.fields[2])));
  if (shape.weight_key.empty() && ((plain && numbers) || text.delimiter != ' '))
    shape.most_columns = static_cast<int>(std::max(found.columns, found.headings.size()));
  const std::optional<IdRange> range = layout.counts ? std::optional(layout.counts->range) : layout.comments.range;
  if (range && layout.counts_are_certain) {
    shape.lowest = range->first;
    shape.highest = range->first + range->count - 1;
    shape.range_rule = range->count == 0
                           ? "(the header says that there are no vertices). Correct the edge or the header."
                           : fmt::format("(the header says ids {} to {}). Correct the edge or the header.",
                                         shape.lowest, shape.highest);
  }
  return layout;
}

std::pair<Vertex, Vertex> extent_of(World& world, const EdgeList& edges) {
  Vertex least = kMaxVertex, most = -1;
  for (const IdColumn* column : {&edges.source, &edges.target})
    std::visit(
        [&](const auto& ids) {
          for (const auto id : ids) {
            least = std::min(least, static_cast<Vertex>(id));
            most = std::max(most, static_cast<Vertex>(id));
          }
        },
        *column);
  return {world.min(least), world.max(most)};
}

// KONECT numbers both columns of a two-mode network from 1: those of the second set follow those of the first. Collective.
void split_vertex_sets(World& world, const std::string& path, const table::CommentFacts& comments, EdgeList& edges) {
  Vertex left = comments.left;
  std::visit(
      [&](const auto& ids) {
        for (const auto id : ids) left = std::max(left, static_cast<Vertex>(id));
      },
      edges.source);
  left = world.max(left);
  Array<Vertex> shifted = std::visit(
      [&](const auto& ids) {
        Array<Vertex> wide(ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i) wide[i] = static_cast<Vertex>(ids[i]) + left;
        return wide;
      },
      edges.target);
  Vertex most = -1;
  for (const Vertex id : shifted) most = std::max(most, id);
  most = world.max(most);
  check(most >= 0 && most <= kMaxVertex,
        "{}: the ids of its two sets of vertices exceed 2^63 - 2 together. Renumber them.", path);
  const bool narrow = std::holds_alternative<Array<std::uint32_t>>(edges.source) && most <= UINT32_MAX;
  if (narrow) {
    auto& target = std::get<Array<std::uint32_t>>(edges.target);
    for (std::size_t i = 0; i < shifted.size(); ++i) target[i] = static_cast<std::uint32_t>(shifted[i]);
  } else {
    if (auto* source = std::get_if<Array<std::uint32_t>>(&edges.source)) {
      Array<Vertex> wide(source->size());
      for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = (*source)[i];
      edges.source = std::move(wide);
    }
    edges.target = std::move(shifted);
  }
  world.log()(
      LogLevel::warn,
      "{}: its comment says that the columns number two sets of vertices (bip): id k of the second one is now {} + k",
      path, left);
}

}  // namespace

EdgeList read_edge_list(World& world, const std::string& path, Head& head, const ReadOptions& options) {
  EdgeListLayout layout =
      from_head(world, path, head, [&](const Head& h) { return edge_list_layout(path, h, options); });
  EdgeList edges;
  if (layout.matrix)
    return read_adjacency_matrix(world, path, head, *layout.matrix, layout.delimiter, layout.from, layout.first_line,
                                 options);
  std::string left_out;
  if (layout.no_edges) {
    edges.source = Array<std::uint32_t>();
    edges.target = Array<std::uint32_t>();
    if (options.weights == ReadOptions::Weights::required) edges.weight = Array<double>();
  } else {
    LineParser parser(world, layout.shape, expected_share(world, head, 4));
    for_each_block(world, path, {.from = layout.from, .first_line = layout.first_line, .file_bytes = head.file_bytes},
                   parser.work());
    parser.columns().finish(world, edges);
    if (layout.shape.drop_missing)
      left_out = describe_left_out(world, path, parser.left_out(), edges.size(), options.missing);
  }
  if (layout.counts && layout.counts->edges >= 0) {
    const auto m = world.sum(static_cast<std::int64_t>(edges.size()));
    if (layout.counts_are_certain) {
      check(m == layout.counts->edges,
            "{}:{}: the header promises {} edges (the file has {}). The file is cut off, or its header is wrong.", path,
            layout.counts->line, layout.counts->edges, m);
    } else {
      const auto [least, most] = extent_of(world, edges);
      const IdRange& range = layout.counts->range;
      if (m != layout.counts->edges || least < range.first || most > range.first + range.count - 1) {
        // The first line is an edge, too.
        ReadOptions again = options;
        again.headings = false;
        return read_edge_list(world, path, head, again);
      }
    }
  }
  const table::CommentFacts& comments = layout.comments;
  if (layout.counts && !layout.counts_are_certain)
    world.log()(LogLevel::warn,
                "{}:{}: taken as counts: {} vertices and {} edges, as many as follow (it is an edge: --headings no, "
                "headings=False in Python)",
                path, layout.counts->line, layout.counts->range.count, layout.counts->edges);
  if (comments.contradiction && !options.directed)
    world.log()(LogLevel::warn,
                "{}: its comments say directed and undirected; taken as directed (edges go both ways: --undirected, "
                "directed=False in Python)",
                path);
  else if (comments.directed == false && !comments.range && !options.directed)
    world.log()(LogLevel::info, "{}: edges go both ways, as its comment says: {}", path, comments.directed_by);
  if (comments.two_mode && !layout.no_edges) split_vertex_sets(world, path, comments, edges);
  const std::optional<bool> said = comments.contradiction ? std::optional<bool>() : comments.directed;
  edges.directed = options.directed.value_or(layout.directed.value_or(said.value_or(true)));
  if (!layout.no_edges) {
    edges.columns = describe_reading(layout.described, edges.directed, left_out);
    const bool worth_saying = layout.worth_saying || options.missing == ReadOptions::Missing::drop;
    world.log()(worth_saying ? LogLevel::info : LogLevel::debug, "{}: {}", path, edges.columns);
  }
  edges.range = layout.counts ? std::optional(layout.counts->range) : comments.range;
  return edges;
}

}  // namespace atl
