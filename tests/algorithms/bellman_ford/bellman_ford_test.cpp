// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/bellman_ford/bellman_ford.hpp>
#include <atoll/algorithms/bellman_ford/negative_cycle.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();

// Relaxes all arcs n - 1 times; empty where the n-th time would lower a distance: a negative cycle is reached.
std::vector<double> distances_by_rounds(std::size_t n, const std::vector<samples::Arc>& arcs, std::size_t source) {
  std::vector<double> distance(n, kUnreached);
  distance[source] = 0;
  for (std::size_t round = 0; round < n; ++round) {
    bool any = false;
    for (const auto& a : arcs) {
      const double through = distance[static_cast<std::size_t>(a.from)] + a.weight;
      double& known = distance[static_cast<std::size_t>(a.to)];
      if (!(through < known)) continue;
      known = through;
      any = true;
    }
    if (!any) return distance;
  }
  return {};
}

// Moves a whole weight w of u -> v to w + p(u) - p(v): the sums of cycles, and so which paths are shortest, stay.
double potential(Vertex id) { return static_cast<double>(random_at(9, static_cast<std::uint64_t>(id)) % 40); }

void check_tree(const Sample& sample, const std::vector<samples::Arc>& arcs, const std::vector<double>& distance,
                const std::vector<Vertex>& parent, std::size_t source) {
  const std::vector<Vertex> ids = sample.edges.ids();
  std::map<std::pair<Vertex, Vertex>, double> weight;
  for (const auto& a : arcs) {
    const auto [at, is_new] =
        weight.emplace(std::pair(ids[static_cast<std::size_t>(a.from)], ids[static_cast<std::size_t>(a.to)]), a.weight);
    if (!is_new) at->second = std::min(at->second, a.weight);
  }
  std::map<Vertex, std::size_t> number;
  for (std::size_t v = 0; v < ids.size(); ++v) number[ids[v]] = v;
  for (std::size_t v = 0; v < ids.size(); ++v) {
    if (distance[v] == kUnreached) {
      CHECK(parent[v] == kNoVertex);
      continue;
    }
    std::size_t at = v, steps = 0;
    for (; at != source && steps <= ids.size(); ++steps) {
      const std::size_t before = number.at(parent[at]);
      CHECK(distance[before] + weight.at({ids[before], ids[at]}) == distance[at]);
      at = before;
    }
    CHECK(steps <= ids.size());
  }
  CHECK(parent[source] == ids[source]);
}

Graph build_shifted(World& world, const Sample& sample, const samples::Spread& spread) {
  EdgeList list = cases::slice(sample.edges, sample.directed, cases::Weight::wide, sample.edges.ids().empty(),
                               world.rank(), world.size(), cases::Distribution::spread);
  auto& weights = std::get<Array<double>>(list.weight);
  std::visit(
      [&](const auto& source) {
        const auto& target = std::get<std::decay_t<decltype(source)>>(list.target);
        for (std::size_t e = 0; e < weights.size(); ++e)
          weights[e] = std::floor(weights[e] * 8) + potential(static_cast<Vertex>(source[e])) -
                       potential(static_cast<Vertex>(target[e]));
      },
      list.source);
  return Graph::build(world, std::move(list),
                      {.placement = {.partition = spread.partition, .cut = spread.cut, .heavy = spread.heavy}});
}

Graph from_arcs(World& world, const std::vector<samples::Arc>& arcs, bool directed) {
  const std::size_t m = world.rank() == world.size() - 1 ? arcs.size() : 0;
  Array<Vertex> source(m), target(m);
  Array<double> weight(m);
  for (std::size_t e = 0; e < m; ++e) {
    source[e] = arcs[e].from;
    target[e] = arcs[e].to;
    weight[e] = arcs[e].weight;
  }
  EdgeList list;
  list.source = std::move(source);
  list.target = std::move(target);
  list.weight = std::move(weight);
  list.directed = directed;
  list.name = "arcs";
  return Graph::build(world, std::move(list));
}

}  // namespace

TEST_CASE("distances that no weight makes negative equal those by rounds, for any ranks, routes and cuts") {
  samples::for_each_spread(cases::Weight::wide, [](const Sample& sample, const Graph& graph) {
    const std::vector<Vertex> ids = sample.edges.ids();
    BellmanFord search(graph);
    if (ids.empty()) return;
    const auto arcs = sample.arcs();
    const std::size_t source = random_at(5, ids.size()) % ids.size();
    const auto expected = distances_by_rounds(ids.size(), arcs, source);
    BellmanFordResult result;
    for (int turn = 0; turn < 2; ++turn) {
      search.run(ids[source], result);
      const auto distance = samples::by_id(graph, result.distance);
      CHECK(distance == expected);
      CHECK(result.reached == std::ranges::count_if(expected, [](double d) { return d < kUnreached; }));
      check_tree(sample, arcs, distance, samples::by_id(graph, result.parent), source);
    }
    if (ids.back() < kMaxVertex) CHECK_THROWS_AS(search.run(ids.back() + 1, result), InputError);
  });
}

TEST_CASE("weights of both signs, whose cycles are not negative, have the same tree on any ranks") {
  for (const char* text : {"kron:7:6", "uniform:8:3", "grid:9x8", "path:40", "complete:20"})
    for (const std::size_t n_of_spread : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3},
                                          std::size_t{5}, std::size_t{9}, std::size_t{10}, std::size_t{14}}) {
      const samples::Spread& spread = samples::kSpreads[n_of_spread];
      const Sample sample{samples::from_text(text), true, Duplicates::merge_min};
      const std::vector<Vertex> ids = sample.edges.ids();
      std::vector<samples::Arc> arcs = sample.arcs();
      for (auto& a : arcs)
        a.weight = std::floor(a.weight * 8) + potential(ids[static_cast<std::size_t>(a.from)]) -
                   potential(ids[static_cast<std::size_t>(a.to)]);
      const auto expected = distances_by_rounds(ids.size(), arcs, 1);
      REQUIRE(!expected.empty());
      Plan plan;
      plan.threads = spread.threads;
      plan.domains = spread.domains;
      plan.route = spread.route;
      CAPTURE(text);
      CAPTURE(spread.ranks);
      run_ranks(spread.ranks, plan, [&](World& world) {
        const Graph graph = build_shifted(world, sample, spread);
        BellmanFordResult result;
        BellmanFord(graph).run(ids[1], result);
        CHECK(samples::by_id(graph, result.distance) == expected);
        check_tree(sample, arcs, expected, samples::by_id(graph, result.parent), 1);
      });
    }
}

TEST_CASE("a negative cycle that the source reaches is named, on all ranks; one that it does not reach is no matter") {
  for (const Rank ranks : {1, 2, 3, 5, 8}) {
    Plan plan;
    plan.threads = ranks == 1 ? 2 : 1;
    run_ranks(ranks, plan, [&](World& world) {
      std::vector<samples::Arc> arcs;
      for (Vertex v = 0; v < 60; ++v) arcs.push_back({v, v + 1, 3});
      arcs.insert(arcs.end(), {{70, 71, 2}, {71, 72, -1}, {72, 70, -2}, {60, 0, 1}});
      BellmanFordResult result;
      const Graph apart = from_arcs(world, arcs, true);
      BellmanFord search(apart);
      search.run(5, result);
      CHECK(result.reached == 61);
      CHECK_THROWS_WITH_AS(search.run(71, result), doctest::Contains("the cycle 70 -> 71 -> 72 -> 70 weighs -1 ("),
                           InputError);
      CHECK(search.negative_cycle(5).empty());
      CHECK(search.negative_cycle(72) == std::vector<Vertex>{70, 71, 72});
      CHECK(search.negative_cycle(std::nullopt) == std::vector<Vertex>{70, 71, 72});
      search.run(5, result);  // after an error, too
      CHECK(result.reached == 61);
      arcs.push_back({30, 71, 4});
      CHECK_THROWS_WITH_AS(BellmanFord(from_arcs(world, arcs, true)).run(0, result),
                           doctest::Contains("70 -> 71 -> 72 -> 70"), InputError);
      CHECK_THROWS_WITH_AS(BellmanFord(from_arcs(world, {{0, 1, 4}, {1, 2, -3}}, false)).run(0, result),
                           doctest::Contains("the cycle 1 -> 2 -> 1 weighs -6"), InputError);
      CHECK_THROWS_WITH_AS(BellmanFord(from_arcs(world, {{0, 1, 4}, {1, 1, -3}}, true)).run(0, result),
                           doctest::Contains("the cycle 1 -> 1 weighs -3"), InputError);
      // A long cycle, a light one, beside cycles of sum 0.
      std::vector<samples::Arc> ring;
      for (Vertex v = 0; v < 200; ++v) ring.insert(ring.end(), {{v, (v + 1) % 200, v == 7 ? -200.0 : 1.0}});
      for (Vertex v = 0; v < 199; v += 2) ring.insert(ring.end(), {{v, 300 + v, 1}, {300 + v, v, -1}});
      CHECK_THROWS_WITH_AS(BellmanFord(from_arcs(world, ring, true)).run(20, result), doctest::Contains("weighs -1 ("),
                           InputError);
      CHECK(world.sum(1) == ranks);
    });
  }
}

TEST_CASE("what cannot be added up is refused on all ranks") {
  run_ranks(3, {}, [](World& world) {
    CHECK_THROWS_AS(BellmanFord(Graph::build(world, generate(world, "path:5"))), InputError);
    CHECK_THROWS_AS(BellmanFord(from_arcs(world, {{0, 1, kUnreached}}, true)), InputError);
    CHECK_THROWS_AS(BellmanFord(from_arcs(world, {{0, 1, std::nan("")}}, true)), InputError);
    BellmanFordResult result;
    CHECK_THROWS_WITH_AS(BellmanFord(from_arcs(world, {{0, 1, -0x1p52}, {1, 2, -0x1p52}}, true)).run(0, result),
                         doctest::Contains("Scale the weights down"), InputError);
    CHECK(world.sum(1) == 3);
  });
}

TEST_CASE("of admissible edges a cycle is negative if one of them lowers a distance") {
  const std::vector<AdmissibleEdge> edges{{1, 2, 5, false}, {2, 3, -5, false}, {3, 1, 0, false}, {3, 4, -1, true}};
  CHECK(negative_cycle_among(edges, false).vertices.empty());
  std::vector<AdmissibleEdge> more = edges;
  more.push_back({4, 1, 0, false});
  const NegativeCycle cycle = negative_cycle_among(more, false);
  CHECK(cycle.vertices == std::vector<Vertex>{1, 2, 3, 4});
  CHECK(cycle.sum == -1);
  std::ranges::reverse(more);
  CHECK(negative_cycle_among(more, false).vertices == cycle.vertices);
  more.back().weight = 6;  // rounding: the edges say 0
  CHECK(negative_cycle_among(more, false).vertices.empty());
  CHECK(negative_cycle_among(more, true).vertices == cycle.vertices);
}
