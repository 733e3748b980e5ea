// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/sssp.hpp>
#include <atoll/base/error.hpp>
#include <limits>
#include <queue>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// Dijkstra's algorithm with sums rounded to Real.
template <class Real>
std::vector<Real> dijkstra(const Sample& sample, std::size_t source) {
  std::vector<std::vector<std::pair<std::size_t, Real>>> lists(sample.vertices());
  for (const auto& a : sample.arcs())
    lists[static_cast<std::size_t>(a.from)].emplace_back(static_cast<std::size_t>(a.to), static_cast<Real>(a.weight));
  std::vector<Real> distance(sample.vertices(), std::numeric_limits<Real>::infinity());
  std::priority_queue<std::pair<Real, std::size_t>, std::vector<std::pair<Real, std::size_t>>, std::greater<>> queue;
  distance[source] = 0;
  queue.emplace(Real(0), source);
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > distance[v]) continue;
    for (const auto& [u, w] : lists[v])
      if (d + w < distance[u]) queue.emplace(distance[u] = d + w, u);
  }
  return distance;
}

template <class Real>
void check_sssp(const Sample& sample, const Graph& graph) {
  const std::vector<Vertex> ids = sample.edges.ids();
  if (ids.empty()) return;
  Sssp<Real> sssp(graph);
  SsspResult<Real> result;
  for (const std::size_t source : {std::size_t{0}, ids.size() / 2}) {
    sssp.run(ids[source], result);
    const auto expected = dijkstra<Real>(sample, source);
    const auto distance = samples::by_id(graph, result.distance);
    const auto parent = samples::by_id(graph, result.parent);
    CHECK(distance == expected);
    // Parents: a tree along tight edges.
    std::map<std::pair<Vertex, Vertex>, Real> weight;
    for (const auto& a : sample.arcs()) {
      const auto w = static_cast<Real>(a.weight);
      const auto [at, fresh] = weight.try_emplace({a.from, a.to}, w);
      if (!fresh) at->second = std::min(at->second, w);
    }
    Vertex reached = 0;
    for (std::size_t v = 0; v < ids.size(); ++v) {
      if (distance[v] == std::numeric_limits<Real>::infinity()) {
        CHECK(parent[v] == kNoVertex);
        continue;
      }
      ++reached;
      std::size_t at = v, steps = 0;
      while (at != source && steps++ <= ids.size()) {
        const auto above =
            static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), parent[at]) - ids.begin());
        REQUIRE(above < ids.size());
        const auto edge = weight.find({static_cast<Vertex>(above), static_cast<Vertex>(at)});
        REQUIRE(edge != weight.end());
        REQUIRE(distance[above] + edge->second == distance[at]);
        at = above;
      }
      CHECK(at == source);
    }
    CHECK(result.reached == reached);
    CHECK(parent[source] == ids[source]);
  }
}

}  // namespace

TEST_CASE("shortest paths are Dijkstra's over any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::narrow, [](const Sample& s, const Graph& g) { check_sssp<float>(s, g); });
}

TEST_CASE("shortest paths in double, and what they refuse on all ranks alike") {
  samples::for_each_spread(cases::Weight::wide, [](const Sample& s, const Graph& g) { check_sssp<double>(s, g); });
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [&](World& world) {
    const Graph plain = Graph::build(world, generate(world, "kron:6"));
    CHECK_THROWS_AS(Sssp<float>{plain}, InputError);
    const Graph graph = Graph::build(world, generate(world, "kron:6", {.weights = Weights::uniform}));
    CHECK_THROWS_AS(Sssp<double>{graph}, InputError);
    CHECK_THROWS_AS((Sssp<float>{graph, {.delta = -1.0}}), InputError);
    Sssp<float> sssp(graph);
    SsspResult<float> result;
    CHECK_THROWS_AS(sssp.run(1 << 20, result), InputError);
    CHECK(world.sum(1) == 3);
  });
}
