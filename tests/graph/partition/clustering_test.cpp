// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/partition/clustering.hpp>
#include <map>

#include "graph/partition/small_graphs.hpp"

using namespace atl;
using small::WeightedEdge;

namespace {

// [id] the vertex that names its cluster; the same on 1, 2 and 3 ranks.
std::vector<Vertex> clustered(const std::vector<WeightedEdge>& edges, const std::vector<Edge>& weight,
                              const ClusterOptions& options) {
  std::vector<Vertex> result;
  for (const Rank ranks : {1, 2, 3}) {
    std::vector<Vertex> got;
    run_ranks(ranks, small::one_thread(), [&](World& world) {
      const Graph graph = small::build(world, static_cast<Vertex>(weight.size()), edges);
      const auto all = small::by_id(graph, cluster(graph, small::local(graph, weight), options));
      if (world.rank() == 0) got = all;
    });
    if (ranks == 1) result = got;
    CHECK(got == result);
  }
  return result;
}

// {size of a cluster: number of such clusters}, by weight.
std::map<Edge, int> sizes(const std::vector<Vertex>& label, const std::vector<Edge>& weight) {
  std::map<Vertex, Edge> held;
  for (std::size_t v = 0; v < label.size(); ++v) held[label[v]] += weight[v];
  std::map<Edge, int> count;
  for (const auto& [name, sum] : held) ++count[sum];
  return count;
}

std::vector<WeightedEdge> clique(Vertex n) {
  std::vector<WeightedEdge> edges;
  for (Vertex a = 0; a < n; ++a)
    for (Vertex b = a + 1; b < n; ++b) edges.emplace_back(a, b, 1.0);
  return edges;
}

std::vector<WeightedEdge> star(Vertex leaves) {
  std::vector<WeightedEdge> edges;
  for (Vertex v = 1; v <= leaves; ++v) edges.emplace_back(0, v, 1.0);
  return edges;
}

}  // namespace

TEST_CASE("no group outgrows its limit, and groups grow to it") {
  const std::vector<Edge> ones(40, 1);
  for (const Edge limit : {1, 2, 3, 7})
    for (const bool bins : {false, true}) {
      CAPTURE(limit);
      CAPTURE(bins);
      const auto found = sizes(clustered(clique(40), ones, {.limit = limit, .bin_leftovers = bins}), ones);
      CHECK(found.rbegin()->first == limit);
    }
}

TEST_CASE("cluster sizes are sums of weights, and a vertex heavier than the limit stays single") {
  std::vector<Edge> weight(30);
  for (std::size_t v = 0; v < weight.size(); ++v) weight[v] = 1 + static_cast<Edge>(v % 6);  // 1 .. 6
  for (const bool bins : {false, true}) {
    const auto label = clustered(clique(30), weight, {.limit = 5, .bin_leftovers = bins});
    std::map<Vertex, Edge> held, members;
    for (std::size_t v = 0; v < label.size(); ++v) {
      held[label[v]] += weight[v];
      ++members[label[v]];
    }
    for (std::size_t v = 0; v < label.size(); ++v) {
      if (weight[v] == 6) {
        CHECK(label[v] == static_cast<Vertex>(v));
        CHECK(members[label[v]] == 1);
      } else {
        CHECK(held[label[v]] <= 5);
      }
    }
    CHECK(held.size() < 30);
  }
}

TEST_CASE("leaves of a hub that is too heavy share groups of exactly the limit") {
  std::vector<Edge> weight(41, 1);
  weight[0] = 9;
  CHECK(sizes(clustered(star(40), weight, {.limit = 8, .bin_leftovers = true}), weight) ==
        std::map<Edge, int>{{8, 5}, {9, 1}});
  CHECK(sizes(clustered(star(40), weight, {.limit = 8}), weight) == std::map<Edge, int>{{1, 40}, {9, 1}});
}

TEST_CASE("a vertex with more neighbours than most_degree stays single, and no vertex joins it") {
  const std::vector<Edge> ones(41, 1);
  CHECK(sizes(clustered(star(40), ones, {.limit = 41, .most_degree = 39}), ones) == std::map<Edge, int>{{1, 41}});
  const auto found = sizes(clustered(star(40), ones, {.limit = 41, .most_degree = 40}), ones);
  CHECK(found.rbegin()->first > 1);
}

TEST_CASE("a vertex joins the cluster to which it has the heaviest edges") {
  // Pairs 3k, 3k+1 with a heavy edge, and a third vertex with a light edge to another pair.
  std::vector<WeightedEdge> edges;
  for (Vertex k = 0; k < 20; ++k) {
    edges.emplace_back(3 * k, 3 * k + 1, 9.0);
    edges.emplace_back(3 * k + 1, 3 * k + 2, 5.0);
    edges.emplace_back(3 * k + 2, (3 * k + 3) % 60, 1.0);
  }
  const std::vector<Edge> ones(60, 1);
  const auto label = clustered(edges, ones, {.limit = 3, .rounds = 12});
  int together = 0;
  for (std::size_t k = 0; k < 20; ++k)
    together += label[3 * k] == label[3 * k + 1] && label[3 * k + 1] == label[3 * k + 2];
  CHECK(together == 20);
}

TEST_CASE("a neighbour too heavy to share a cluster is ignored: the next best cluster is joined") {
  std::vector<WeightedEdge> edges;
  std::vector<Edge> weight(21, 1);
  weight[0] = 9;
  for (Vertex v = 1; v <= 20; v += 2) {
    edges.emplace_back(v, v + 1, 1.0);
    for (const Vertex leaf : {v, v + 1}) edges.emplace_back(0, leaf, 5.0);
  }
  CHECK(sizes(clustered(edges, weight, {.limit = 2, .rounds = 20}), weight) == std::map<Edge, int>{{2, 10}, {9, 1}});
}
