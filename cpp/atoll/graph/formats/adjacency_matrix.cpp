// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/formats/adjacency_matrix.hpp>
#include <atoll/graph/formats/blocks.hpp>
#include <atoll/graph/formats/columns.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/table/fields.hpp>
#include <bit>

namespace atl {
namespace {

// Lines that are neither empty nor comments.
std::int64_t count_matrix_rows(const char* begin, const char* end) {
  std::int64_t rows = 0;
  for (const char* p = begin; p < end; p = next_line(p, end)) {
    const char* q = p;
    while (scan::is_blank(*q)) ++q;
    rows += *q != '\n' && *q != '#' && *q != '%';
  }
  return rows;
}

class MatrixParser {
 public:
  MatrixParser(World& world, const table::MatrixText& matrix, char delimiter, std::vector<Vertex> ids, bool lower_only)
      : matrix_(matrix),
        delimiter_(delimiter),
        ids_(std::move(ids)),
        upper_only_(lower_only),
        columns_(matrix.size, true),
        scratch_(static_cast<std::size_t>(world.team().size())) {}

  void operator()(int thread, const Block& block) {
    Scratch& s = scratch_[thread];
    s.source.clear();
    s.target.clear();
    s.weight.clear();
    std::exception_ptr error;
    try {
      parse(s, block);
    } catch (...) {
      error = std::current_exception();
      s.source.clear();
    }
    // Other threads wait for this turn.
    columns_.append(block.turn, s.source.data(), s.target.data(), s.weight.data(), s.source.size());
    if (error) std::rethrow_exception(error);
  }

  EdgeColumns& columns() { return columns_; }
  bool only_ones() const {
    return std::ranges::all_of(scratch_, [](const Scratch& s) { return s.only_ones; });
  }
  // Equal sums of hashes of the entries above and below the diagonal: the matrix is symmetric.
  std::uint64_t above() const { return sum(&Scratch::above); }
  std::uint64_t below() const { return sum(&Scratch::below); }

 private:
  struct alignas(128) Scratch {
    std::vector<Vertex> source, target;
    std::vector<double> weight;
    std::uint64_t above = 0, below = 0;
    bool only_ones = true;
  };

  std::uint64_t sum(std::uint64_t Scratch::*field) const {
    std::uint64_t all = 0;
    for (const Scratch& s : scratch_) all += s.*field;
    return all;
  }

  void parse(Scratch& s, const Block& block) {
    auto row = static_cast<std::size_t>(block.row);
    for (const char* p = block.begin; p < block.end;) {
      const char* const next = next_line(p, block.end);
      const char* q = p;
      while (scan::is_blank(*q)) ++q;
      if (*q != '\n' && *q != '#' && *q != '%')
        parse_row(s, std::string_view(p, static_cast<std::size_t>(next - 1 - p)), row++);
      p = next;
    }
  }

  void parse_row(Scratch& s, std::string_view line, std::size_t row) {
    const std::size_t n = matrix_.size;
    if (row >= n)
      throw LineError{line.data(),
                      fmt::format("the line would be row {} (the matrix has {} columns). Is it square?", row + 1, n)};
    NameFields fields(line, delimiter_);
    NameField field;
    std::size_t column = 0;
    if (matrix_.first_field == 1) {
      const bool there = fields.next(field);
      if (!there || field.text != matrix_.labels[row])
        throw LineError{line.data(),
                        fmt::format("row {} is that of {} (column {} is that of {}). Are rows and columns of a "
                                    "matrix in one order?",
                                    row + 1, in_quotes(field.text), row + 1, in_quotes(matrix_.labels[row]))};
    }
    for (; fields.next(field); ++column) {
      if (column >= n) {
        if (field.is_missing() && fields.rest().empty()) break;  // a delimiter at the end of the line
        throw LineError{line.data(),
                        fmt::format("the row has more than {} entries (the first has so many). Correct it.", n)};
      }
      if (field.text.empty()) continue;
      const double w = read_weight(line.data(), field.text, {});
      if (w == 0) continue;
      s.only_ones &= w == 1;
      if (row != column) {
        const auto a = std::min(row, column), b = std::max(row, column);
        (column > row ? s.above : s.below) += mix64(mix64(mix64(a) + b) + std::bit_cast<std::uint64_t>(w));
      }
      if (upper_only_ && column < row) continue;
      s.source.push_back(ids_[row]);
      s.target.push_back(ids_[column]);
      s.weight.push_back(w);
    }
    if (column < n)
      throw LineError{line.data(), fmt::format("the row has {} entries (the first has {}). Complete it.", column, n)};
  }

  const table::MatrixText& matrix_;
  const char delimiter_;
  const std::vector<Vertex> ids_;
  const bool upper_only_;
  EdgeColumns columns_;
  std::vector<Scratch> scratch_;
};

std::vector<Vertex> ids_of(const std::string& path, const table::MatrixText& matrix, bool by_position) {
  std::vector<Vertex> ids(matrix.size);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = by_position || matrix.labels.empty() ? static_cast<Vertex>(i) : header_number(matrix.labels[i]);
    check(ids[i] >= 0 && ids[i] <= kMaxVertex,
          "{}: its matrix has the vertex {} (not a whole number). Read names by --names, names=True in Python "
          "(docs/names.md).",
          path, matrix.labels.empty() ? "" : in_quotes(matrix.labels[i]));
  }
  return ids;
}

}  // namespace

EdgeList read_adjacency_matrix(World& world, const std::string& path, const Head& head, const table::MatrixText& matrix,
                               char delimiter, std::uint64_t from, std::int64_t first_line, const ReadOptions& options,
                               bool by_position) {
  const std::vector<Vertex> ids = ids_of(path, matrix, by_position);
  const bool undirected = options.directed == false;
  MatrixParser parser(world, matrix, delimiter, ids, undirected);
  const BlockPlan plan{.from = from,
                       .first_line = first_line,
                       .longest_line = std::size_t{1} << 30,
                       .count_rows = count_matrix_rows,
                       .file_bytes = head.file_bytes};
  const std::int64_t rows = for_each_block(world, path, plan, std::ref(parser));
  check(rows == static_cast<std::int64_t>(matrix.size),
        "{}: has {} rows of {} numbers (a matrix of a graph is square). If these are edges, say which columns are the "
        "ends.",
        path, rows, matrix.size);
  EdgeList edges;
  parser.columns().finish(world, edges);
  if (undirected)
    check(world.sum(parser.above()) == world.sum(parser.below()),
          "{}: is not symmetric (the edges of an undirected graph stand on both sides of the diagonal). Read it as "
          "directed.",
          path);
  const bool ones = !world.any(!parser.only_ones());
  check(!ones || options.weights != ReadOptions::Weights::required,
        "{}: has no weights (the entries of its matrix are 0 and 1). Read it without them.", path);
  if (ones || options.weights == ReadOptions::Weights::none) edges.weight = std::monostate();
  edges.directed = !undirected;
  if (matrix.labels.empty() || by_position)
    edges.range = IdRange{0, static_cast<Vertex>(matrix.size)};
  else if (world.rank() == 0)
    edges.vertices = ids;
  edges.columns =
      describe_reading(fmt::format("an adjacency matrix of {} rows{}, cut by {}", matrix.size,
                                   matrix.labels.empty() ? "" : " with names", table::name_of_delimiter(delimiter)),
                       edges.directed, "");
  world.log()(LogLevel::info, "{}: read as {}", path, edges.columns);
  return edges;
}

}  // namespace atl
