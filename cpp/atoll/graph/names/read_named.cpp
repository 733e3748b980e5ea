// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/adjacency_matrix.hpp>
#include <atoll/graph/formats/foreign_content.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/names/gather_names.hpp>
#include <atoll/graph/names/layout.hpp>
#include <atoll/graph/table/fields.hpp>
#include <atoll/io/dictionary/dictionary_file.hpp>
#include <filesystem>

namespace atl {
namespace {

// The shortest edge is "a b\n".
constexpr std::size_t kBytesPerEdge = 4;

// Parses lines into edges of the numbers that the thread's table gives, block by block, and tells which thread read
// which block: table numbers become ids once all names are known.
class NamedParser {
 public:
  NamedParser(World& world, const NamedLayout& layout, bool drop_missing, std::size_t expected_edges)
      : layout_(layout),
        drop_missing_(drop_missing),
        columns_(expected_edges, layout.weight.has_value() || !layout.weight_key.empty()),
        tables_(static_cast<std::size_t>(world.team().size())),
        threads_(tables_.size()) {}

  BlockWork work() {
    return [this](int thread, const Block& block) {
      Thread& mine = threads_[thread];
      mine.source.clear();
      mine.target.clear();
      mine.weight.clear();
      std::exception_ptr error;
      try {
        parse(mine, tables_[thread], block);
      } catch (...) {
        error = std::current_exception();
        mine.source.clear();
      }
      // Other threads wait for this turn.
      columns_.append(block.turn, mine.source.data(), mine.target.data(), mine.weight.data(), mine.source.size());
      mine.blocks.emplace_back(block.turn, mine.source.size());
      if (error) std::rethrow_exception(error);
    };
  }

  std::int64_t left_out() const {
    std::int64_t sum = 0;
    for (const Thread& thread : threads_) sum += thread.left_out;
    return sum;
  }

  // Collective.
  NamedEdges finish(World& world, const std::string& path) {
    GatheredNames gathered = gather_names(world, tables_, path);
    NamedEdges named;
    columns_.finish(world, named.edges);
    translate(world.team(), std::get<Array<std::uint32_t>>(named.edges.source), gathered.ids);
    translate(world.team(), std::get<Array<std::uint32_t>>(named.edges.target), gathered.ids);
    named.edges.range = IdRange{0, gathered.names.size()};
    named.names = std::make_shared<const Dictionary>(std::move(gathered.names));
    return named;
  }

 private:
  struct alignas(128) Thread {
    std::vector<std::uint32_t> source, target;
    std::vector<double> weight;
    std::vector<std::pair<std::size_t, std::size_t>> blocks;  // turn, number of edges
    std::int64_t left_out = 0;
  };

  void parse(Thread& mine, NameTable& table, const Block& block) const {
    for (const char* p = block.begin; p < block.end;) {
      const char* const next = next_line(p, block.end);
      parse_line(mine, table, std::string_view(p, static_cast<std::size_t>(next - 1 - p)));
      p = next;
    }
  }

  void parse_line(Thread& mine, NameTable& table, std::string_view line) const {
    NameFields fields(line, layout_.separator);
    std::size_t column = 0;
    NameField field;
    std::uint32_t source = 0, target = 0;
    double weight = 0;
    const bool left_out = drop_missing_ && lacks_value(line);  // before its names are numbered
    for (; fields.next(field); ++column) {
      if (left_out) continue;
      if (column == 0 && !field.quoted && field.text.starts_with('#'))
        throw LineError{line.data(),
                        "the line begins with # (comments stand before the first edge). Remove it, or put the name in "
                        "quotes."};
      if (column == layout_.weight) {
        try {
          weight = read_weight(line.data(), field.text, layout_.weight_signs);
        } catch (const LineError&) {
          std::size_t count = column + 1;  // where fields are too many, the weight is a part of a name
          for (NameField more; fields.next(more);) ++count;
          check_count(line, count);
          throw;
        }
      } else if (column == layout_.source || column == layout_.target) {
        (column == layout_.source ? source : target) = number_of(table, field, line, column);
      }
    }
    if (column == 0) return;  // an empty line
    check_count(line, column);
    if (left_out) {
      ++mine.left_out;
      return;
    }
    mine.source.push_back(source);
    mine.target.push_back(target);
    if (!layout_.weight_key.empty()) {
      const auto value = edge_value(line, layout_.weight_key);
      weight = value ? read_weight(line.data(), *value, {}) : 1;
    }
    if (columns_.weighted()) mine.weight.push_back(weight);
  }

  bool lacks_value(std::string_view line) const {
    NameFields fields(line, layout_.separator);
    NameField field;
    for (std::size_t column = 0; fields.next(field); ++column)
      if ((column == layout_.weight || column == layout_.source || column == layout_.target) && !field.quoted &&
          says_missing(field.text))
        return true;
    return false;
  }

  void check_count(std::string_view line, std::size_t count) const {
    if (count == layout_.columns) return;
    throw LineError{
        line.data(),
        fmt::format("the line has {} column{} (the first edge's has {}). Complete it, or put a "
                    "name that holds {} in quotes.",
                    count, count == 1 ? "" : "s", layout_.columns,
                    layout_.separator == ' ' ? "a blank" : in_quotes(std::string_view(&layout_.separator, 1)))};
  }

  static std::uint32_t number_of(NameTable& table, const NameField& field, std::string_view line, std::size_t column) {
    if (field.is_missing())
      throw LineError{line.data(),
                      fmt::format("column {} is empty (an edge needs it). Complete or remove the line, or leave such "
                                  "lines out: --missing drop, missing=\"drop\" in Python; the empty name is written "
                                  "\"\".",
                                  column + 1)};
    return table.number_of(field.text, [&](std::string_view name) {
      if (!is_utf8(name))
        throw LineError{line.data(), fmt::format("the name {} is no UTF-8 (the file has another encoding). Convert it, "
                                                 "as by iconv -f latin1 -t utf8.",
                                                 in_quotes(name))};
    });
  }

  void translate(Team& team, Array<std::uint32_t>& column, const std::vector<std::vector<std::uint32_t>>& ids) const {
    struct Piece {
      std::size_t begin = 0, size = 0, thread = 0;
    };
    std::vector<Piece> pieces;  // [turn]
    for (std::size_t t = 0; t < threads_.size(); ++t)
      for (const auto& [turn, size] : threads_[t].blocks) {
        if (turn >= pieces.size()) pieces.resize(turn + 1);
        pieces[turn] = {0, size, t};
      }
    std::size_t begin = 0;
    for (Piece& piece : pieces) {
      piece.begin = begin;
      begin += piece.size;
    }
    team.for_range(pieces.size(), 1, [&](int, std::size_t turn, std::size_t) {
      const Piece& piece = pieces[turn];
      for (std::size_t k = piece.begin; k < piece.begin + piece.size; ++k) column[k] = ids[piece.thread][column[k]];
    });
  }

  const NamedLayout& layout_;
  bool drop_missing_;
  EdgeColumns columns_;
  std::vector<NameTable> tables_;
  std::vector<Thread> threads_;
};

// Throws unless the file is an edge list, as far as its first bytes and its name tell.
void check_format(const std::string& path, const Head& head, const std::string& format) {
  std::string other = format == "auto" || format == "edges" || format == "matrix" ? "" : format;
  if (format == "auto") {
    for (const FileFormat& f : file_formats())
      if (std::string_view(f.name) != "edges" && has_ending(path, f.endings)) other = f.name;
    if (head.text.starts_with("%%MatrixMarket")) other = "mtx";
  }
  check(other.empty(),
        "{}: is {}, whose vertices are numbers (names are read from lists of edges, or from a file {}.names that "
        "`atoll convert --names` has written). Leave names out.",
        path, other, path);
  if (format == "auto") {
    const std::string_view foreign = foreign_content(head.text);
    check(foreign.empty(),
          "{}: this is {} (names are read from lists of edges). Convert it to one, or name it so if it is one: "
          "--format edges.",
          path, foreign);
  }
  check(head.text.substr(0, 4096).find('\0') == std::string::npos,
        "{}: is not text (there is a zero byte at {}). Names are read from lists of edges: name one.", path,
        head.text.find('\0'));
}

// The labels of rows and columns are the names. Collective.
NamedEdges read_named_matrix(World& world, const std::string& path, const Head& head, const NamedLayout& layout,
                             const ReadOptions& options) {
  const table::MatrixText& matrix = *layout.matrix;
  NamedEdges named;
  named.edges =
      read_adjacency_matrix(world, path, head, matrix, layout.separator, layout.from, layout.first_line, options, true);
  NameTable labels;
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < matrix.size; ++i)
    numbers.push_back(
        labels.number_of(matrix.labels.empty() ? fmt::format("{}", i) : matrix.labels[i], [&](std::string_view name) {
          check(
              is_utf8(name),
              "{}: the name {} is no UTF-8 (the file has another encoding). Convert it, as by iconv -f latin1 -t utf8.",
              path, in_quotes(name));
        }));
  GatheredNames gathered = gather_names(world, std::span(&labels, 1), path);
  for (IdColumn* column : {&named.edges.source, &named.edges.target})
    std::visit(
        [&](auto& ids) {
          using Id = std::decay_t<decltype(ids[0])>;
          for (auto& id : ids) id = static_cast<Id>(gathered.ids[0][numbers[id]]);
        },
        *column);
  named.edges.range = IdRange{0, gathered.names.size()};
  named.edges.name = path;
  named.names = std::make_shared<const Dictionary>(std::move(gathered.names));
  return named;
}

}  // namespace

NamedEdges read_named_edges(World& world, const std::string& path, const ReadOptions& options) {
  constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
  Head head = read_head(world, path, kHeadBytes);
  check_format(path, head, options.format);
  const NamedLayout layout =
      from_head(world, path, head, [&](const Head& h) { return named_layout(path, h, options); });
  if (layout.matrix) return read_named_matrix(world, path, head, layout, options);
  const bool drop_missing = leaves_out_missing(options.missing, layout.has_headings);
  NamedParser parser(world, layout, drop_missing, expected_share(world, head, kBytesPerEdge));
  for_each_block(world, path, {.from = layout.from, .first_line = layout.first_line, .file_bytes = head.file_bytes},
                 parser.work());
  NamedEdges named = parser.finish(world, path);
  named.edges.directed = options.directed.value_or(layout.directed.value_or(true));
  named.edges.name = path;
  std::string left_out;
  if (drop_missing) left_out = describe_left_out(world, path, parser.left_out(), named.edges.size(), options.missing);
  named.edges.columns = describe_reading(layout.described, named.edges.directed, left_out);
  world.log()(LogLevel::info, "{}: vertices have names; {}", path, named.edges.columns);
  return named;
}

NamedEdges read_with_names(World& world, const std::string& path, const ReadOptions& options) {
  const std::string beside = names_path(path);
  int found = 0;
  if (world.rank() == 0) {
    std::error_code ignored;
    found = std::filesystem::exists(beside, ignored);
  }
  world.broadcast(std::span(&found, 1), 0);
  if (!found) return read_named_edges(world, path, options);
  NamedEdges named;
  named.names = std::make_shared<const Dictionary>(map_dictionary(world, beside));
  named.edges = read_edges(world, path, options);
  give_names(world, named.edges, *named.names, beside);
  return named;
}

bool has_names(World& world, const std::string& path, const ReadOptions& options) {
  OpenedFile file = open_graph_file(world, path, options);
  if (file.format != "edges" && file.format != "matrix") return false;
  try {
    return from_head(world, path, file.head,
                     [&](const Head& head) { return has_names_of_vertices(path, head, options); });
  } catch (const InputError&) {  // the reader explains what is wrong: that of names where no id can be meant
    return !may_begin_with_ids(path, file.head);
  }
}

NamedEdges read_names_or_ids(World& world, const std::string& path, bool named, const ReadOptions& options) {
  return named ? read_with_names(world, path, options) : NamedEdges{.edges = read_edges(world, path, options)};
}

std::string names_path(const std::string& graph) { return graph + ".names"; }

void give_names(World& world, EdgeList& edges, const Dictionary& names, const std::string& names_path) {
  Vertex most = -1;
  for (const IdColumn* column : {&edges.source, &edges.target})
    std::visit(
        [&](const auto& ids) {
          for (const auto id : ids) most = std::max(most, static_cast<Vertex>(id));
        },
        *column);
  for (const Vertex id : edges.vertices) most = std::max(most, id);
  most = world.max(most);
  if (edges.range)
    world.agree(edges.range->first == 0 && edges.range->count == names.size(),
                fmt::format("{}: has the vertices {} to {} ({} has {} names, for 0 to {}). Are they of one graph?",
                            edges.name, edges.range->first, edges.range->first + edges.range->count - 1, names_path,
                            names.size(), names.size() - 1));
  world.agree(most < names.size(),
              fmt::format("{}: vertex {} has no name ({} has {}, for 0 to {}). Are they of one graph?", edges.name,
                          most, names_path, names.size(), names.size() - 1));
  edges.range = IdRange{0, names.size()};
  edges.vertices.clear();
}

}  // namespace atl
