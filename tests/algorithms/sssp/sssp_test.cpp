// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
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
  Sssp<Real> distances_only(graph, {.tree = false});
  SsspResult<Real> result, alone;
  for (const std::size_t source : {std::size_t{0}, ids.size() / 2}) {
    const auto expected = dijkstra<Real>(sample, source);
    distances_only.run(ids[source], alone);
    CHECK(samples::by_id(graph, alone.distance) == expected);
    CHECK(alone.parent.size() == 0);
    sssp.run(ids[source], result);
    CHECK(alone.reached == result.reached);
    const auto distance = samples::by_id(graph, result.distance);
    const auto parent = samples::by_id(graph, result.parent);
    CHECK(distance == expected);
    // Parents must form a tree of tight edges.
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
        const auto above = static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), parent[at]) - ids.begin());
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

TEST_CASE("shortest paths equal Dijkstra's for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::narrow, [](const Sample& s, const Graph& g) { check_sssp<float>(s, g); });
}

TEST_CASE("shortest paths in double, and the input they reject the same on all ranks") {
  samples::for_each_spread(cases::Weight::wide, [](const Sample& s, const Graph& g) { check_sssp<double>(s, g); });
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [&](World& world) {
    const Graph plain = Graph::build(world, generate(world, "kron:6"));
    CHECK_THROWS_AS(Sssp<float>{plain}, InputError);
    const Graph graph = Graph::build(world, generate(world, "kron:6", {.weights = Weights::uniform}));
    const Graph wide = Graph::build(world, cases::slice(samples::from_text("kron:6"), false, cases::Weight::wide, false,
                                                        world.rank(), world.size(), cases::Distribution::spread));
    CHECK_THROWS_AS(Sssp<float>{wide}, InputError);
    CHECK_THROWS_AS((Sssp<float>{graph, {.delta = -1.0}}), InputError);
    Sssp<float> sssp(graph);
    SsspResult<float> result;
    CHECK_THROWS_AS(sssp.run(1 << 20, result), InputError);
    CHECK(world.sum(1) == 3);
  });
}

TEST_CASE("shortest paths of whole weights in float32 are exact beyond 2^24, over any ranks, routes and partitions") {
  for (const char* text : {"path:60", "grid:13x11", "kron:8"}) {
    const cases::Case c = samples::from_text(text);
    const auto weight = [](std::size_t i) { return 0xfffff1 - 2 * (random_at(21, i) % 1000); };  // odd, of 24 bits
    const auto n = c.ids().size();
    std::vector<std::vector<std::pair<std::size_t, std::uint64_t>>> next(n);
    for (std::size_t i = 0; i < c.edges.size(); ++i) {
      const auto u = static_cast<std::size_t>(c.edges[i].first), v = static_cast<std::size_t>(c.edges[i].second);
      next[u].emplace_back(v, weight(i));
      next[v].emplace_back(u, weight(i));
    }
    std::vector<std::uint64_t> expected(n, UINT64_MAX);
    std::priority_queue<std::pair<std::uint64_t, std::size_t>, std::vector<std::pair<std::uint64_t, std::size_t>>,
                        std::greater<>>
        queue;
    queue.emplace(expected[1] = 0, 1);
    while (!queue.empty()) {
      const auto [d, v] = queue.top();
      queue.pop();
      for (const auto& [u, w] : next[v])
        if (d == expected[v] && d + w < expected[u]) queue.emplace(expected[u] = d + w, u);
    }
    for (const samples::Spread& spread : samples::kSpreads) {
      if (shapes::kSanitized && spread.ranks % 3 != 1) continue;
      CAPTURE(text);
      CAPTURE(spread.ranks);
      Plan plan;
      plan.threads = spread.threads;
      plan.domains = spread.domains;
      plan.route = spread.route;
      run_ranks(spread.ranks, plan, [&](World& world) {
        EdgeList list = cases::slice(c, false, cases::Weight::narrow, false, world.rank(), world.size(),
                                     cases::Distribution::spread);
        auto& column = std::get<Array<float>>(list.weight);
        for (std::size_t i = 0, k = 0; i < c.edges.size(); ++i)
          if (cases::is_on_rank(i, world.rank(), world.size(), cases::Distribution::spread))
            column[k++] = static_cast<float>(weight(i));
        const Graph graph = Graph::build(world, std::move(list), {.placement = {.partition = spread.partition}});
        CHECK(needs_double_sums(graph));
        Sssp<double> sssp(graph);
        SsspResult<double> result;
        sssp.run(1, result);
        const auto distance = samples::by_id(graph, result.distance);
        std::size_t wrong = 0;
        for (std::size_t v = 0; v < n; ++v)
          wrong += expected[v] == UINT64_MAX ? std::isfinite(distance[v])
                                             : static_cast<std::uint64_t>(distance[v]) != expected[v];
        CHECK(wrong == 0);
      });
    }
  }
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    CHECK(!needs_double_sums(Graph::build(world, generate(world, "kron:6"))));
    CHECK(!needs_double_sums(Graph::build(world, generate(world, "kron:6", {.weights = Weights::uniform}))));
  });
}
