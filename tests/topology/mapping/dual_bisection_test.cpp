// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/dual_bisection.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/mapping/weighted_bisection.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <numeric>
#include <string>

#include "mapping_samples.hpp"

using namespace atl;

namespace {

// A graph of unit vertices and these edges.
WeightedGraph graph_of(int vertices, const std::vector<std::tuple<int, int, double>>& edges) {
  std::vector<std::vector<WeightedGraph::Edge>> ends(static_cast<std::size_t>(vertices));
  for (const auto& [a, b, weight] : edges) {
    ends[static_cast<std::size_t>(a)].push_back({b, weight});
    ends[static_cast<std::size_t>(b)].push_back({a, weight});
  }
  WeightedGraph graph;
  for (const auto& of_one : ends) graph.add_vertex(1, of_one);
  return graph;
}

double weight_between(const WeightedGraph& graph, const std::vector<char>& part) {
  double cut = 0;
  for (int v = 0; v < graph.vertices(); ++v)
    for (const WeightedGraph::Edge& e : graph.of(v))
      if (part[static_cast<std::size_t>(v)] < part[static_cast<std::size_t>(e.to)]) cut += e.weight;
  return cut;
}

std::vector<std::tuple<int, int, double>> grid_edges(int side) {
  std::vector<std::tuple<int, int, double>> edges;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y) {
      if (x + 1 < side) edges.emplace_back(x * side + y, (x + 1) * side + y, 1.0);
      if (y + 1 < side) edges.emplace_back(x * side + y, x * side + y + 1, 1.0);
    }
  return edges;
}

// Traffic whose ranks are shuffled, so that their numbers say nothing.
TrafficMatrix shuffled(TrafficMatrix traffic, std::uint64_t seed) {
  std::vector<int> number(static_cast<std::size_t>(traffic.ranks));
  std::iota(number.begin(), number.end(), 0);
  Random random(seed);
  for (std::size_t i = number.size(); i > 1; --i) std::swap(number[i - 1], number[random.below(i)]);
  for (RankPair& pair : traffic.pairs)
    pair = {number[static_cast<std::size_t>(pair.from)], number[static_cast<std::size_t>(pair.to)], pair.bytes};
  return traffic;
}

}  // namespace

TEST_CASE("bisection: sizes within their bounds, and a cut near the least of a grid") {
  for (const int side : {6, 12, 32}) {
    CAPTURE(side);
    const WeightedGraph graph = graph_of(side * side, grid_edges(side));
    const std::int64_t half = side * side / 2;
    Random random(3);
    const std::vector<char> parts = bisected(graph, {half, half}, random);
    CHECK(std::ranges::count(parts, char{0}) == half);
    CHECK(weight_between(graph, parts) >= side);
    CHECK(weight_between(graph, parts) <= 1.5 * side);
  }
}

TEST_CASE("bisection: more tries are never worse than the first of them, and mostly better") {
  const WeightedGraph graph = graph_of(900, grid_edges(30));
  int better = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    Random once(seed), often(seed);
    const auto one = weight_between(graph, bisected(graph, {450, 450}, once));
    const auto best = weight_between(graph, bisected(graph, {450, 450}, often, 8));
    CHECK(best <= one);
    better += best < one;
  }
  CHECK(better >= 4);
}

TEST_CASE("bisection: pulls decide where edges do not") {
  WeightedGraph graph;
  for (int v = 0; v < 100; ++v) graph.add_vertex(1, {}, v % 2 == 0 ? 1.0 + v : -1.0 - v);
  Random random(1);
  const std::vector<char> parts = bisected(graph, {40, 60}, random);
  for (int v = 0; v < 100; ++v) CHECK(static_cast<int>(parts[static_cast<std::size_t>(v)]) == v % 2);
}

TEST_CASE("bisection: within bounds that one part fits, all go there") {
  const WeightedGraph graph = graph_of(100, grid_edges(10));
  Random random(1);
  const std::vector<char> parts = bisected(graph, {0, 100}, random);
  CHECK(weight_between(graph, parts) == 0);
}

TEST_CASE("each rank gets a place of its own, on any network, with and without free places") {
  for (const std::string name : {"random:64:4", "torus:4x4", "fat-tree:4", "dragonfly:2,4,2", "cluster:2x3", "mesh:1"})
    for (const int per_host : {1, 3}) {
      CAPTURE(name);
      CAPTURE(per_host);
      const PlaceGraph places(Network::parse(name), per_host);
      for (const int ranks : {places.places(), (places.places() + 1) / 2, 1}) {
        const std::vector<int> mapping = dual_bisection(places, shuffled(traffic_pattern("grid2d", ranks), 4));
        CHECK(sample::places_are_distinct(mapping, ranks, places.places()));
      }
    }
}

TEST_CASE("grids of ranks find grids of hosts, whatever their numbers") {
  const PlaceGraph torus(Network::parse("torus:16x16"));
  const TrafficMatrix grid = shuffled(traffic_pattern("grid2d", 256), 4);
  const double pairs = static_cast<double>(grid.pairs.size());
  CHECK(hop_bytes_of(torus, grid, dual_bisection(torus, grid)) <= 1.6 * pairs);
  CHECK(hop_bytes_of(torus, grid, random_order(torus, 1)) >= 7 * pairs);
}

TEST_CASE("a tree keeps ranks that talk in one subtree: its leaves are two links apart at least") {
  const PlaceGraph tree(Network::parse("cluster:3x4x4"));
  TrafficMatrix teams{48, {}};
  for (int r = 0; r < 48; ++r)
    if (r + 3 < 48) teams.pairs.push_back({r, r + 3, 1});  // three chains of 16 ranks
  const std::vector<int> mapping = dual_bisection(tree, teams);
  for (const RankPair& pair : teams.pairs)
    CHECK(mapping[static_cast<std::size_t>(pair.from)] / 16 == mapping[static_cast<std::size_t>(pair.to)] / 16);
}

TEST_CASE("the same seed gives the same mapping") {
  const PlaceGraph places(Network::parse("random:64:4"));
  const TrafficMatrix traffic = shuffled(traffic_pattern("grid3d", 64), 4);
  CHECK(dual_bisection(places, traffic, 5) == dual_bisection(places, traffic, 5));
}

TEST_CASE("more ranks than places") {
  const PlaceGraph places(Network::parse("mesh:3"), 2);
  CHECK_THROWS_WITH_AS(dual_bisection(places, traffic_pattern("line", 7)),
                       "7 ranks onto 6 places (each rank needs one). Have fewer ranks, or more places a host.",
                       InputError);
}
