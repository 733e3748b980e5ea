// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>

// Matrix Market, as the sparse adjacency matrix of a graph [1]: entry (i, j) is the edge i -> j, ids start at 1. A
// symmetric matrix stores one triangle, so each undirected edge once.
// [1] R. F. Boisvert, R. Pozo, K. A. Remington. "The Matrix Market Exchange Formats: Initial Design." NISTIR 5935,
// 1996.
namespace atl {
namespace {

struct MatrixHeader {
  bool pattern = false, symmetric = false;
  std::int64_t rows = 0, entries = 0;
  std::uint64_t from = 0;
  std::int64_t line = 0;
};

MatrixHeader matrix_header(const std::string& path, const Head& head) {
  MatrixHeader header;
  HeadLines lines(path, head);
  lines.next();
  std::string banner(lines.line());
  std::transform(banner.begin(), banner.end(), banner.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto words = fields_of(banner);
  if (words.size() < 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
    lines.fail(
        fmt::format("begins with {} (a Matrix Market file begins with '%%MatrixMarket matrix coordinate', "
                    "its field and its symmetry). Name its format.",
                    in_quotes(lines.line())));
  if (words[2] != "coordinate")
    lines.fail(
        fmt::format("the matrix is stored as {} (only coordinate lists the edges of a graph). Store it as coordinate.",
                    in_quotes(words[2])));
  if (words[3] != "pattern" && words[3] != "real" && words[3] != "integer" && words[3] != "double" &&
      words[3] != "unsigned-integer")
    lines.fail(fmt::format("the entries are {} (weights are real, integer, or none: pattern). Convert the matrix.",
                           in_quotes(words[3])));
  if (words[4] != "general" && words[4] != "symmetric")
    lines.fail(
        fmt::format("the matrix is {} (a graph is general or symmetric: elsewhere the two directions of an "
                    "edge differ in sign). Store it as general.",
                    in_quotes(words[4])));
  header.pattern = words[3] == "pattern";
  header.symmetric = words[4] == "symmetric";
  for (;;) {
    if (!lines.next())
      throw InputError(
          fmt::format("{}:{}: the file ends before the line of sizes (rows, columns, entries). The file is cut off.",
                      path, lines.number()));
    const auto sizes = fields_of(lines.line());
    if (sizes.empty() || lines.line()[0] == '%') continue;
    std::int64_t numbers[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      numbers[i] = sizes.size() == 3 ? header_number(sizes[i]) : -1;
      if (numbers[i] < 0)
        lines.fail(
            fmt::format("the line of sizes is {} (it is rows, columns and entries: three whole numbers). Correct it.",
                        in_quotes(lines.line())));
    }
    if (numbers[0] != numbers[1])
      lines.fail(
          fmt::format("the matrix has {} rows and {} columns (the matrix of a graph is square). For a "
                      "bipartite graph, number the columns after the rows.",
                      numbers[0], numbers[1]));
    if (numbers[0] < 1 || numbers[0] > kMaxVertex)
      lines.fail(
          fmt::format("the matrix has {} rows (a graph has 1 to 2^63 - 2 vertices). Correct the header.", numbers[0]));
    header.rows = numbers[0];
    header.entries = numbers[2];
    break;
  }
  header.from = lines.behind();
  header.line = lines.number();
  check_promise(lines, head, header.entries, header.pattern ? 4 : 6, "entries");
  return header;
}

}  // namespace

EdgeList read_matrix_market(World& world, const std::string& path, Head& head, const ReadOptions& options) {
  const MatrixHeader header = from_head(world, path, head, [&](const Head& h) { return matrix_header(path, h); });
  check(!header.pattern || options.weights != ReadOptions::Weights::required,
        "{}:1: has no weights (the matrix is a pattern). Read it without them.", path);
  if (header.symmetric && options.directed == true)
    throw UsageError(fmt::format(
        "{}:1: the matrix is symmetric (each entry is an edge of both directions). Leave out directed.", path));
  LineShape shape;
  shape.comments.assign(1, '%');
  shape.weight = header.pattern || options.weights == ReadOptions::Weights::none ? -1 : 2;
  shape.most_columns = header.pattern ? 2 : 3;
  shape.lowest = 1;
  shape.highest = header.rows;
  shape.source_name = "row";
  shape.target_name = "column";
  shape.range_rule = fmt::format(
      "(the header says {} rows and columns). Ids in .mtx start at 1; was this file written from 0?", header.rows);
  LineParser parser(world, shape, expected_share(world, head, 4));
  for_each_block(world, path, {.from = header.from, .first_line = header.line + 1, .file_bytes = head.file_bytes},
                 parser.work());

  EdgeList edges;
  parser.columns().finish(world, edges);
  const auto entries = world.sum(static_cast<std::int64_t>(edges.size()));
  check(entries == header.entries,
        "{}:{}: the header promises {} entries (the file has {}). The file is cut off, or its header is wrong.", path,
        header.line, header.entries, entries);
  edges.directed = options.directed.value_or(!header.symmetric);
  edges.range = IdRange{1, header.rows};
  return edges;
}

}  // namespace atl
