// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <atoll/verify/dense.hpp>
#include <string>
#include <vector>

using namespace atl;

namespace {

enum class Ids { compact, sparse };

/// Spreads ids over 60 bits, keeping 0; a bijection.
Vertex spread(Vertex v) { return static_cast<Vertex>(BitPermutation(60, 4)(static_cast<std::uint64_t>(v))); }

EdgeList edges_of(World& world, const char* text, Ids ids) {
  EdgeList edges = generate(world, text);
  if (ids == Ids::compact) return edges;
  EdgeList sparse;
  for (auto [from, to] : {std::pair(&edges.source, &sparse.source), std::pair(&edges.target, &sparse.target)}) {
    const auto& column = std::get<Array<std::uint32_t>>(*from);
    Array<Vertex> wide(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) wide[i] = spread(column[i]);
    *to = std::move(wide);
  }
  sparse.directed = edges.directed;
  sparse.name = edges.name;
  return sparse;
}

}  // namespace

TEST_CASE("results of bfs pass the check against the input and against the graph's own lists") {
  for (const char* text : {"kron:8", "rmat:8:0.5,0.3,0.1:4", "grid:9x11", "star:40", "path:130"})
    for (const Ids ids : {Ids::compact, Ids::sparse})
      for (const Rank ranks : {1, 2, 3, 5, 8}) {
        CAPTURE(text);
        CAPTURE(ranks);
        Plan plan;
        plan.threads = ranks == 1 ? 2 : 1;
        plan.shuffle_seed = ranks == 3 ? 5 : 0;
        run_ranks(ranks, plan, [&](World& world) {
          EdgeList edges = edges_of(world, text, ids);
          const bool directed = edges.directed;
          IdMap map = number(world, edges);
          const Graph graph = Graph::build(world, edges, std::move(map));
          const Vertex source = ids == Ids::sparse ? spread(7) : 7;
          const BfsResult with = bfs(graph, source, {.depths = Depths::yes}), without = bfs(graph, source);
          const Tuples tuples = Tuples::of(edges);
          const auto span = [](const Array<Vertex>& a) { return std::span<const Vertex>(a.data(), a.size()); };
          const TupleKind kind = directed ? TupleKind::directed : TupleKind::undirected;
          const BfsTreeReport one = verify_bfs(graph, source, span(with.parent), span(with.depth), tuples, kind),
                              two = verify_bfs(graph, source, span(without.parent), {}, tuples, kind),
                              three = verify_bfs(graph, source, span(with.parent), span(with.depth));
          for (const auto* report : {&one, &two, &three}) {
            CAPTURE(report->what);
            CHECK(report->ok);
            CHECK(report->reached == with.reached);
            CHECK(report->depth + 1 == with.levels);
          }
          CHECK(one.edges_in_component == two.edges_in_component);
          CHECK(three.edges_in_component <= one.edges_in_component);  // multi-edges are merged
        });
      }
}

TEST_CASE("flaws of a search are reported with original ids") {
  for (const Rank ranks : {1, 2, 5})
    run_ranks(ranks, Plan{}, [](World& world) {
      EdgeList edges;
      edges.name = "ten thousand";
      Array<Vertex> source(world.rank() == 0 ? 3 : 0), target(source.size());
      for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = 10000 + 100 * static_cast<Vertex>(i);
        target[i] = source[i] + 100;
      }
      edges.source = std::move(source);
      edges.target = std::move(target);
      const Graph graph = Graph::build(world, std::move(edges));
      BfsResult result = bfs(graph, 10000);
      const auto check = [&](Vertex at, Vertex parent, const std::string& what) {
        BfsResult wrong = bfs(graph, 10000);
        if (const Vertex k = graph.ids().find_here(at); k >= 0) wrong.parent[static_cast<std::size_t>(k)] = parent;
        CHECK(verify_bfs(graph, 10000, std::span<const Vertex>(wrong.parent.data(), wrong.parent.size()), {}).what ==
              what);
      };
      check(10300, 10200, "");
      check(10300, kNoVertex, "rule 4: edge 10200 - 10300 leaves the tree: 10200 is on level 2, 10300 was not reached");
      check(10200, 10000, "rule 5: no input edge joins vertex 10200 and its parent 10000");
      check(10200, 10300, "rule 1: the parents of vertex 10200 never lead to the root 10000 (a cycle)");
      check(10200, 10250, "rule 1: the parent of vertex 10200 is no vertex");
      check(10200, 5, "rule 1: the parent of vertex 10200 is no vertex");
    });
}
