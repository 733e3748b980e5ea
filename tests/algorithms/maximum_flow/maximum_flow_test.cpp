// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/maximum_flow/maximum_flow.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "algorithms/spread_samples.hpp"

using namespace atl;

namespace {

using Capacities = std::map<std::pair<Vertex, Vertex>, double>;  // by direction

// The capacities of a sample whose weights are multiples of 1/8, both ways of an undirected edge.
Capacities capacities_of(const samples::Sample& sample) {
  const std::vector<Vertex> ids = sample.edges.ids();
  Capacities all;
  for (const auto& a : sample.arcs())
    if (a.from != a.to) all[{ids[static_cast<std::size_t>(a.from)], ids[static_cast<std::size_t>(a.to)]}] = a.weight;
  return all;
}

// Augments along shortest paths (Edmonds and Karp).
double flow_by_shortest_paths(Capacities left, Vertex source, Vertex target) {
  std::map<Vertex, std::set<Vertex>> next;
  for (const auto& [ends, _] : Capacities(left)) {
    next[ends.first].insert(ends.second);
    next[ends.second].insert(ends.first);
    left.emplace(std::pair(ends.second, ends.first), 0);
  }
  double value = 0;
  for (;;) {
    std::map<Vertex, Vertex> before{{source, source}};
    std::vector<Vertex> queue{source};
    for (std::size_t i = 0; i < queue.size() && !before.contains(target); ++i)
      for (const Vertex u : next[queue[i]])
        if (left.at({queue[i], u}) > 1e-12 && before.emplace(u, queue[i]).second) queue.push_back(u);
    if (!before.contains(target)) return value;
    double most = std::numeric_limits<double>::infinity();
    for (Vertex v = target; v != source; v = before[v]) most = std::min(most, left.at({before[v], v}));
    for (Vertex v = target; v != source; v = before[v]) {
      left.at({before[v], v}) -= most;
      left.at({v, before[v]}) += most;
    }
    value += most;
  }
}

void check_flow(const Capacities& capacities, const MaximumFlow& found, bool directed, Vertex source, Vertex target) {
  std::map<Vertex, double> balance;
  double cut = 0;
  const std::set<Vertex> side(found.target_side.begin(), found.target_side.end());
  CHECK(side.contains(target));
  CHECK(!side.contains(source));
  for (std::size_t k = 0; k < found.flow.size(); ++k) {
    const Vertex u = found.source[k], v = found.target[k];
    const double flow = found.flow[k], capacity = capacities.at({u, v});
    CHECK(flow <= capacity);
    CHECK(flow >= (directed ? 0 : -capacity));
    balance[u] -= flow;
    balance[v] += flow;
    if (!side.contains(u) && side.contains(v)) cut += capacity;
    if (!directed && side.contains(u) && !side.contains(v)) cut += capacity;
  }
  CHECK(cut == doctest::Approx(found.value));
  for (const auto& [v, amount] : balance)
    CHECK(amount == doctest::Approx(v == source   ? -found.value
                                    : v == target ? found.value
                                                  : 0.0)
                        .epsilon(1e-9)
                        .scale(1));
}

Graph network(World& world, const std::vector<std::tuple<Vertex, Vertex, double>>& list, bool directed) {
  const std::size_t m = world.rank() == 0 ? list.size() : 0;
  Array<Vertex> source(m), target(m);
  Array<double> weight(m);
  for (std::size_t e = 0; e < m; ++e) std::tie(source[e], target[e], weight[e]) = list[e];
  EdgeList edges;
  edges.source = std::move(source);
  edges.target = std::move(target);
  edges.weight = std::move(weight);
  edges.directed = directed;
  edges.name = "network";
  return Graph::build(world, std::move(edges));
}

}  // namespace

TEST_CASE("a flow keeps to capacities, nothing is lost on the way, and it fills a cut, for any ranks and partitions") {
  samples::for_each_spread(
      cases::Weight::wide,
      [](const samples::Sample& sample, const Graph& graph) {
        const std::vector<Vertex> ids = sample.edges.ids();
        if (ids.size() < 2) return;
        const Capacities capacities = capacities_of(sample);
        for (std::uint64_t i = 0; i < 2; ++i) {
          const Vertex source = ids[random_at(21, 2 * i) % ids.size()],
                       target = ids[random_at(21, 2 * i + 1) % ids.size()];
          if (source == target) continue;
          const MaximumFlow found = maximum_flow(graph, source, target);
          CHECK(found.value == doctest::Approx(flow_by_shortest_paths(capacities, source, target)));
          check_flow(capacities, found, sample.directed, source, target);
          CHECK(graph.world().all_gather(found.value) ==
                std::vector<double>(static_cast<std::size_t>(graph.world().size()), found.value));
        }
      },
      0.125);
}

TEST_CASE("whole capacities are exact, and a cut is the one nearest the target") {
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, {}, [](World& world) {
      const double large = 0x1p50;
      const MaximumFlow found =
          maximum_flow(network(world, {{0, 1, large + 1}, {1, 2, 7}, {0, 2, large}, {2, 3, large + 3}}, true), 0, 3);
      CHECK(found.value == large + 3);
      CHECK(found.target_side == std::vector<Vertex>{3});
      const MaximumFlow path = maximum_flow(network(world, {{0, 1, 5}, {1, 2, 5}, {2, 3, 9}}, true), 0, 3);
      CHECK(path.value == 5);
      CHECK(path.target_side == std::vector<Vertex>{2, 3});
      const MaximumFlow none = maximum_flow(network(world, {{1, 0, 5}, {2, 3, 9}}, true), 0, 3);
      CHECK(none.value == 0);
      CHECK(none.target_side == std::vector<Vertex>{2, 3});
      const MaximumFlow back = maximum_flow(network(world, {{3, 1, 5}, {1, 0, 4}}, false), 0, 3);
      CHECK(back.value == 4);
      CHECK(back.flow[0] == 4);  // 0 - 1
      CHECK(back.flow[1] == 4);  // 1 - 3
      CHECK(maximum_flow(network(world, {{3, 1, 5}, {1, 0, 4}}, false), 3, 0).flow[1] == -4);
    });
}

TEST_CASE("infinite capacities limit nothing, and a path of them is refused; so is what is no capacity") {
  run_ranks(2, {}, [](World& world) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    CHECK(maximum_flow(network(world, {{0, 1, kInfinite}, {1, 2, 2.5}, {2, 3, kInfinite}}, true), 0, 3).value == 2.5);
    const Graph open = network(world, {{0, 1, kInfinite}, {1, 2, kInfinite}, {0, 2, 4}}, true);
    CHECK_THROWS_WITH_AS(maximum_flow(open, 0, 2), doctest::Contains("has no bound"), InputError);
    CHECK(maximum_flow(open, 2, 0).value == 0);
    CHECK_THROWS_AS(maximum_flow(open, 0, 0), InputError);
    CHECK_THROWS_AS(maximum_flow(open, 0, 77), InputError);
    CHECK_THROWS_AS(maximum_flow(network(world, {{0, 1, -1}}, true), 0, 1), InputError);
    CHECK_THROWS_AS(maximum_flow(network(world, {{0, 1, std::nan("")}}, true), 0, 1), InputError);
    CHECK_THROWS_AS(maximum_flow(Graph::build(world, generate(world, "path:4")), 0, 3), InputError);
    CHECK(world.sum(1) == 2);
  });
}
