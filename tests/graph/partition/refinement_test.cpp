// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/graph/partition/refinement.hpp>
#include <numeric>
#include <optional>

#include "graph/partition/small_graphs.hpp"

using namespace atl;
using small::WeightedEdge;

namespace {

constexpr Edge kRoom = 1000;

struct Refined {
  std::vector<Rank> owner;  // [id]
  std::vector<Edge> load;   // [rank of the machine]
  bool operator==(const Refined&) const = default;
};

std::vector<Edge> load_of(const std::vector<Rank>& owner, const std::vector<Edge>& weight, const Hierarchy& machine) {
  std::vector<Edge> load(static_cast<std::size_t>(machine.size()), 0);
  for (std::size_t v = 0; v < owner.size(); ++v) load[static_cast<std::size_t>(owner[v])] += weight[v];
  return load;
}

// The cost of edges between ranks, at the paper's ratio of 1 : 2 per level.
double cost_of(const std::vector<Rank>& owner, const std::vector<WeightedEdge>& edges, const Hierarchy& machine) {
  double sum = 0;
  for (const auto& [a, b, w] : edges) {
    const Rank x = owner[static_cast<std::size_t>(a)], y = owner[static_cast<std::size_t>(b)];
    if (x != y) sum += w * (machine.level_between(x, y) == 0 ? 1 : 2);
  }
  return sum;
}

// Checks that the result is the same on 1, 2 and 3 ranks.
Refined refined(const std::vector<WeightedEdge>& edges, const Hierarchy& machine, Edge most,
                const std::vector<Rank>& owner, std::vector<Edge> weight = {}, std::optional<Cost> cost = {}) {
  if (weight.empty()) weight.assign(owner.size(), 1);
  if (!cost) cost = Cost::paper(machine.depth());
  Refined result;
  for (const Rank ranks : {1, 2, 3}) {
    Refined got;
    run_ranks(ranks, small::one_thread(), [&](World& world) {
      const Graph graph = small::build(world, static_cast<Vertex>(owner.size()), edges);
      std::vector<Rank> part = small::local(graph, owner);
      std::vector<Edge> load = load_of(owner, weight, machine);
      refine(graph, small::local(graph, weight), machine, *cost, most, part, load);
      const std::vector<Rank> all = small::by_id(graph, part);
      if (world.rank() == 0) got = {all, load};
    });
    if (ranks == 1) result = got;
    CHECK(got == result);
  }
  CHECK(result.load == load_of(result.owner, weight, machine));
  return result;
}

// Cliques of four: 0-3, 4-7, .., each joined to the next by one edge.
std::vector<WeightedEdge> cliques(Vertex n) {
  std::vector<WeightedEdge> edges;
  for (Vertex a = 0; a < n; ++a)
    for (Vertex b = a + 1; b < n; ++b)
      if (a / 4 == b / 4 || (a % 4 == 3 && b == a + 1)) edges.emplace_back(a, b, 1.0);
  return edges;
}

}  // namespace

TEST_CASE("a vertex moves to the rank of its neighbours") {
  const Refined got = refined(cliques(12), Hierarchy::parse("3"), kRoom, {0, 0, 0, 1, 1, 2, 1, 1, 2, 2, 0, 2});
  CHECK(got.owner == std::vector<Rank>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("a partition that no single move improves is unchanged") {
  CHECK(refined(cliques(12), Hierarchy::parse("3"), kRoom, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}).owner ==
        std::vector<Rank>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  // On a ring every other place costs at least as much.
  std::vector<WeightedEdge> ring;
  for (Vertex v = 0; v < 60; ++v) ring.emplace_back(v, (v + 1) % 60, 1.0);
  std::vector<Rank> owner(60);
  for (std::size_t v = 0; v < 60; ++v) owner[v] = static_cast<Rank>(v / 15);
  CHECK(refined(ring, Hierarchy::parse("2x2"), kRoom, owner).owner == owner);
}

TEST_CASE("neighbours on two ranks meet on one instead of swapping places forever") {
  constexpr Vertex kPairs = 200;
  std::vector<WeightedEdge> edges;
  std::vector<Rank> owner;
  for (Vertex pair = 0; pair < kPairs; ++pair) {
    edges.emplace_back(2 * pair, 2 * pair + 1, 1.0);
    owner.insert(owner.end(), {0, 1});
  }
  const Hierarchy machine = Hierarchy::parse("2");
  // In one of 64 pairs, both or neither request a move in each of six rounds.
  CHECK(cost_of(refined(edges, machine, kRoom, owner).owner, edges, machine) <= kPairs / 16.0);
}

TEST_CASE("refinement reduces the cost of any partition, and fills no rank beyond its limit") {
  std::vector<WeightedEdge> edges = cliques(120);
  std::vector<Edge> weight;
  std::vector<Rank> owner;
  for (Vertex v = 0; v < 120; ++v) {
    const auto at = static_cast<std::uint64_t>(v);
    edges.emplace_back(v, static_cast<Vertex>(random_at(2, at) % 120), 0.5);
    weight.push_back(1 + static_cast<Edge>(random_at(3, at) % 5));
    owner.push_back(static_cast<Rank>(v % 4));
  }
  const Edge total = std::accumulate(weight.begin(), weight.end(), Edge{0});
  for (const std::string text : {"4", "2x2"}) {
    const Hierarchy machine = Hierarchy::parse(text);
    const std::vector<Edge> before = load_of(owner, weight, machine);
    for (const Edge most : {total / 4, total / 4 + 10, total}) {
      CAPTURE(text);
      CAPTURE(most);
      const Refined got = refined(edges, machine, most, owner, weight);
      CHECK(cost_of(got.owner, edges, machine) < cost_of(owner, edges, machine));
      for (std::size_t r = 0; r < 4; ++r) CHECK(got.load[r] <= std::max(most, before[r]));
    }
  }
}

TEST_CASE("if capacity is short, the vertices with the highest gain move") {
  // 0 and 1 are fixed; the gain of 2 .. 21 from joining them increases or decreases with the vertex number.
  const auto entered = [](bool grows) {
    std::vector<WeightedEdge> edges{{0, 1, 1000.0}};
    std::vector<Rank> owner{0, 0};
    for (Vertex v = 2; v < 22; ++v) {
      edges.emplace_back(v % 2, v, static_cast<double>(grows ? v : 23 - v));
      owner.push_back(1);
    }
    const Refined got = refined(edges, Hierarchy::parse("2"), 2 + 3, owner);
    CHECK(got.load[0] == 2 + 3);
    CHECK(refined(edges, Hierarchy::parse("2"), 2, owner).owner == owner);
    std::vector<Vertex> in;
    for (Vertex v = 2; v < 22; ++v)
      if (got.owner[static_cast<std::size_t>(v)] == 0) in.push_back(v);
    return in;
  };
  // The same half of them requests in the first round, whatever the gains.
  const std::vector<Vertex> high = entered(true), low = entered(false);
  REQUIRE(high.size() == 3);
  REQUIRE(low.size() == 3);
  CHECK(high[0] > low[2]);
}

TEST_CASE("a higher level counts more than a lower one: a vertex leaves its rank for the domain of its neighbours") {
  // The first of each seven has edges of weight 3 to its own rank, and of 3 and 2 to both ranks of the other domain:
  // there its cost is 8 or 9 instead of 10. On a machine with one level it would gain nothing. (This concerns the half
  // that requests first; refinement ends after a round without moves.)
  std::vector<WeightedEdge> edges;
  std::vector<Rank> owner(7, 3), cheapest(7, 3);
  for (Vertex v = 7; v < 4 * 7; v += 7) {
    edges.insert(edges.end(), {{v, v + 1, 3.0}, {v, v + 3, 3.0}, {v, v + 5, 2.0}});
    for (const Vertex other : {1, 3, 5}) edges.emplace_back(v + other, v + other + 1, 1000.0);
    owner.insert(owner.end(), {2, 2, 2, 0, 0, 1, 1});
    cheapest.insert(cheapest.end(), {0, 2, 2, 0, 0, 1, 1});
  }
  CHECK(refined(edges, Hierarchy::parse("2x2"), kRoom, owner).owner == cheapest);
  CHECK(refined(edges, Hierarchy::parse("4"), kRoom, owner).owner == owner);
  // Nor if crossing that level costs no more than staying below it: the machine's costs decide.
  const Cost low({{1e-6, 1e9, 0}, {1e-6, 1e9, 0}});
  CHECK(refined(edges, Hierarchy::parse("2x2"), kRoom, owner, {}, low).owner == owner);
}
