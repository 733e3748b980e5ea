// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/verify/draws/neighbor_sample.hpp>
#include <atoll/verify/draws/walks.hpp>

#include "shapes.hpp"

using namespace atl;

namespace {

// 0 -> 1 -> 2 -> 3, 0 -> 2 with the weight 0, 4 alone; 0 -> 1 is there twice.
Graph line(World& world) {
  const std::vector<std::tuple<Vertex, Vertex, double>> edges{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 2, 0}, {0, 1, 2}};
  const std::size_t m = world.rank() == world.size() - 1 ? edges.size() : 0;
  Array<Vertex> source(m), target(m);
  Array<double> weight(m);
  for (std::size_t k = 0; k < m; ++k) std::tie(source[k], target[k], weight[k]) = edges[k];
  EdgeList list;
  list.source = std::move(source);
  list.target = std::move(target);
  list.weight = std::move(weight);
  list.directed = true;
  list.range = IdRange{0, 5};
  list.name = "line";
  return Graph::build(world, std::move(list), {.duplicates = Duplicates::keep});
}

// Returns the verdict on walks of two steps that the last rank gives.
std::string said_of_walks(const std::vector<Vertex>& rows, EdgeWeighting weighting = EdgeWeighting::ones) {
  std::string said;
  for (const Rank ranks : shapes::kRanks)
    run_ranks(ranks, {}, [&](World& world) {
      const Graph graph = line(world);
      const bool gives = world.rank() == world.size() - 1;
      const Verdict verdict =
          verify_walks(graph, gives ? std::span<const Vertex>(rows) : std::span<const Vertex>(), 2, weighting);
      CHECK(verdict.ok == verdict.what.empty());
      if (world.rank() == 0) said = verdict.what;
    });
  return said;
}

// A sample of two layers, of the edges that leave 0 and then what it reaches.
struct Claim {
  std::vector<Vertex> vertices{0, 1, 2, 3};
  std::vector<std::int64_t> source{0, 0, 1, 2}, target{1, 2, 2, 3};
  std::vector<std::int64_t> vertices_by_layer{1, 2, 1}, edges_by_layer{2, 2}, fanout{2, 5};
  bool replace = false;
  EdgeWeighting weighting = EdgeWeighting::ones;
};

std::string said_of(const Claim& c) {
  std::string said;
  for (const Rank ranks : shapes::kRanks)
    run_ranks(ranks, {}, [&](World& world) {
      const Graph graph = line(world);
      const Verdict verdict = verify_neighbor_sample(graph, {.vertices = c.vertices,
                                                             .source = c.source,
                                                             .target = c.target,
                                                             .vertices_by_layer = c.vertices_by_layer,
                                                             .edges_by_layer = c.edges_by_layer,
                                                             .fanout = c.fanout,
                                                             .replace = c.replace,
                                                             .entering = false,
                                                             .weighting = c.weighting});
      CHECK(verdict.ok == verdict.what.empty());
      if (world.rank() == 0) said = verdict.what;
    });
  return said;
}

template <class Change>
std::string said_after(Change&& change) {
  Claim claim;
  change(claim);
  return said_of(claim);
}

}  // namespace

TEST_CASE("the check of walks sees what is no walk") {
  CHECK(said_of_walks({0, 1, 2, 1, 2, 3, 2, 3, -1, 4, -1, -1, 0, 2, 3}) == "");
  CHECK(said_of_walks({}) == "");
  CHECK(said_of_walks({0, 3, -1}) == "rule 1: a walk goes from 0 to 3 (no edge that counts leads there)");
  CHECK(said_of_walks({0, 2, 3}, EdgeWeighting::of_edges) ==
        "rule 1: a walk goes from 0 to 2 (no edge that counts leads there)");
  CHECK(said_of_walks({8, -1, -1}) == "rule 1: a walk comes to 8 (the graph has no such vertex)");
  CHECK(said_of_walks({1, 2, -1}) == "rule 2: a walk ends at 2 (an edge that counts leaves it)");
  CHECK(said_of_walks({3, -1, 2}) == "rule 2: a walk goes on to 2 after its end (no vertex comes after that)");
}

TEST_CASE("the check of samples sees what is no sample") {
  CHECK(said_of(Claim{}) == "");
  CHECK(said_after([](Claim& c) { c.edges_by_layer = {2, 1}; }).starts_with("rule 1"));
  CHECK(said_after([](Claim& c) { c.target[3] = 4; }).starts_with("rule 1"));
  CHECK(said_after([](Claim& c) { c.vertices[3] = 9; }).starts_with("rule 3"));
  CHECK(said_after([](Claim& c) { c.vertices[0] = 9; }).starts_with("rule 1"));
  CHECK(said_after([](Claim& c) { c.source[2] = 0; }).starts_with("rule 2"));
  CHECK(said_after([](Claim& c) { c.vertices[3] = 1; }).starts_with("rule 2"));
  CHECK(said_after([](Claim& c) { c.vertices[3] = 4; }).starts_with("rule 3"));
  CHECK(said_after([](Claim& c) { c.fanout = {3, 5}; }).starts_with("rule 4: vertex 0 has 2 edges (3"));
  CHECK(said_after([](Claim& c) { c.weighting = EdgeWeighting::of_edges; }).starts_with("rule 3"));
  CHECK(said_after([](Claim& c) { c.replace = true; }).starts_with("rule 4: vertex 1 has 1 edges (5"));
  CHECK(said_after([](Claim& c) {
          c.target = {1, 1, 2};
          c.source = {0, 0, 1};
          c.vertices = {0, 1, 2};
          c.vertices_by_layer = {1, 1, 1};
          c.edges_by_layer = {2, 1};
        }) == "");
  CHECK(said_after([](Claim& c) {
          c.target = {1, 1, 1, 2};
          c.source = {0, 0, 0, 1};
          c.vertices = {0, 1, 2};
          c.vertices_by_layer = {1, 1, 1};
          c.edges_by_layer = {3, 1};
          c.fanout = {3, 5};
        }) == "rule 3: the edge between 0 and 1 is there 3 times (2 in the graph)");
}
