// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>

// The DIMACS formats: "c" comments, one "p" line, then arcs. Shortest paths [1]: "p sp n m" and "a u v w",
// directed. Maximum flow [3]: "p max n m", "n id s" and "n id t", and "a u v capacity". Colouring and cliques [2]: "p edge n m"
// or "p col n m", "n id value" and "e u v", undirected; many files list an edge from either end, or count it so. Ids from 1.
// [1] 9th DIMACS Implementation Challenge: Shortest Paths, 2006.  [2] 2nd DIMACS Challenge: Cliques, Coloring, 1993.
// [3] 1st DIMACS Challenge: Network Flows, 1991.
namespace atl {
namespace {

struct DimacsHeader {
  bool paths = false;  // or flows: arcs with weights
  std::int64_t vertices = 0, edges = 0;
  std::uint64_t from = 0;
  std::int64_t line = 0;
};

DimacsHeader dimacs_header(const std::string& path, const Head& head) {
  DimacsHeader header;
  HeadLines lines(path, head);
  for (;;) {
    if (!lines.next())
      throw InputError(
          fmt::format("{}:{}: the file ends before its line 'p sp vertices arcs'. The file is cut off, or of "
                      "another format.",
                      path, lines.number()));
    const auto fields = fields_of(lines.line());
    if (fields.empty() || fields[0].starts_with('c')) continue;
    const auto is = [&](std::initializer_list<std::string_view> problems) {
      return fields.size() == 4 && std::ranges::find(problems, fields[1]) != problems.end();
    };
    const bool paths = is({"sp", "max"}), colours = is({"edge", "edges", "col", "cols", "clq", "clique"});
    const std::int64_t n = paths || colours ? header_number(fields[2]) : -1,
                       m = paths || colours ? header_number(fields[3]) : -1;
    if (fields[0] != "p" || n < 0 || m < 0)
      lines.fail(fmt::format(
          "the line is {} (a DIMACS file has 'p sp vertices arcs' before its arcs). Name the file's format.",
          in_quotes(lines.line())));
    if (n < 1 || n > kMaxVertex)
      lines.fail(fmt::format("the header has {} vertices (a graph has 1 to 2^63 - 2). Correct it.", n));
    header = {paths, n, m, lines.behind(), lines.number()};
    check_promise(lines, head, m, paths ? 8 : 6, paths ? "arcs" : "edges");
    return header;
  }
}

}  // namespace

EdgeList read_dimacs(World& world, const std::string& path, Head& head, const ReadOptions& options) {
  const DimacsHeader header = from_head(world, path, head, [&](const Head& h) { return dimacs_header(path, h); });
  check(header.paths || options.weights != ReadOptions::Weights::required,
        "{}:{}: has no weights (edge lines have none). Read it without them.", path, header.line);
  LineShape shape;
  shape.prefix = header.paths ? 'a' : 'e';
  shape.comments = header.paths ? "cn" : "cndvx";  // descriptions of vertices are lines of their own
  shape.weight = header.paths && options.weights != ReadOptions::Weights::none ? 2 : -1;
  shape.most_columns = header.paths ? 3 : 2;
  shape.lowest = 1;
  shape.highest = header.vertices;
  shape.range_rule = fmt::format(
      "(the header says {} vertices). Ids in DIMACS files start at 1; was this file written from 0?", header.vertices);
  LineParser parser(world, shape, expected_share(world, head, 6));
  for_each_block(world, path, {.from = header.from, .first_line = header.line + 1, .file_bytes = head.file_bytes},
                 parser.work());

  EdgeList edges;
  parser.columns().finish(world, edges);
  const auto m = world.sum(static_cast<std::int64_t>(edges.size()));
  const bool from_either_end = !header.paths && (m == 2 * header.edges || header.edges == 2 * m);
  check(m == header.edges || from_either_end,
        "{}:{}: the header promises {} {} (the file has {}). The file is cut off, or its header is wrong.", path,
        header.line, header.edges, header.paths ? "arcs" : "edges", m);
  edges.directed = options.directed.value_or(header.paths);
  edges.range = IdRange{1, header.vertices};
  return edges;
}

}  // namespace atl
