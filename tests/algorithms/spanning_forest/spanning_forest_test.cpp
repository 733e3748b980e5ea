// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/spanning_forest/spanning_forest.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/spanning_forest/spanning_forest.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

struct Expected {
  std::vector<Vertex> parent;  // original ids, by ascending id
  std::vector<double> weight;
  Vertex trees = 0;
};

// Kruskal's algorithm, and a search from the smallest vertex of each tree.
Expected by_kruskal(const Sample& sample, ForestKind kind, bool by_weight) {
  std::vector<std::tuple<double, Vertex, Vertex>> edges;
  const double sign = kind == ForestKind::maximum ? -1 : 1;
  for (const auto& a : sample.arcs())
    edges.emplace_back(by_weight ? sign * a.weight : sign, std::min(a.from, a.to), std::max(a.from, a.to));
  std::sort(edges.begin(), edges.end());
  const std::size_t n = sample.vertices();
  std::vector<std::size_t> set(n);
  std::iota(set.begin(), set.end(), std::size_t{0});
  const auto find = [&](std::size_t v) {
    while (set[v] != v) v = set[v] = set[set[v]];
    return v;
  };
  std::vector<std::vector<std::pair<std::size_t, double>>> next(n);
  for (const auto& [key, low, high] : edges) {
    const auto u = static_cast<std::size_t>(low), v = static_cast<std::size_t>(high);
    if (find(u) == find(v)) continue;
    set[find(u)] = find(v);
    next[u].emplace_back(v, sign * key);
    next[v].emplace_back(u, sign * key);
  }
  const auto ids = sample.edges.ids();
  Expected expected{std::vector<Vertex>(n, -1), std::vector<double>(n, 0), 0};
  for (std::size_t root = 0; root < n; ++root) {
    if (expected.parent[root] >= 0) continue;
    ++expected.trees;
    expected.parent[root] = ids[root];
    std::vector<std::size_t> queue{root};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const auto& [u, weight] : next[queue[i]])
        if (expected.parent[u] < 0) {
          expected.parent[u] = ids[queue[i]];
          expected.weight[u] = weight;
          queue.push_back(u);
        }
  }
  return expected;
}

std::vector<double> as_floats(std::vector<double> values) {
  for (double& value : values) value = static_cast<float>(value);
  return values;
}

}  // namespace

TEST_CASE("forests are Kruskal's for any ranks, routes, partitions and widths of weights") {
  for (const cases::Weight weight : {cases::Weight::none, cases::Weight::narrow, cases::Weight::wide})
    samples::for_each_spread(
        weight,
        [&](const Sample& sample, const Graph& graph) {
          if (sample.directed) {
            CHECK_THROWS_AS(SpanningForest(graph, EdgeWeighting::of_edges), InputError);
            return;
          }
          for (const EdgeWeighting weights : {EdgeWeighting::of_edges, EdgeWeighting::ones}) {
            const bool by_weight = weight != cases::Weight::none && weights == EdgeWeighting::of_edges;
            SpanningForest forest(graph, weights);
            SpanningForestResult result;
            for (const ForestKind kind : {ForestKind::minimum, ForestKind::maximum, ForestKind::minimum}) {
              if (kind == ForestKind::maximum && by_weight && graph.merged_to_least()) {
                CHECK_THROWS_AS(forest.run(kind, result), InputError);
                continue;
              }
              forest.run(kind, result);
              Expected expected = by_kruskal(sample, kind, by_weight);
              if (weight == cases::Weight::narrow) expected.weight = as_floats(expected.weight);
              CHECK(samples::by_id(graph, result.parent) == expected.parent);
              CHECK(samples::by_id(graph, result.weight) == expected.weight);
              CHECK(result.trees == expected.trees);
              CHECK(result.edges == graph.vertices() - expected.trees);
              CHECK(result.total_weight ==
                    doctest::Approx(std::accumulate(expected.weight.begin(), expected.weight.end(), 0.0)));
              const Verdict verdict = verify_spanning_forest(
                  graph, {result.parent.data(), result.parent.size()}, {result.weight.data(), result.weight.size()},
                  {.first = kind == ForestKind::minimum ? FirstEdges::lightest : FirstEdges::heaviest,
                   .by_weight = by_weight});
              CHECK(verdict.what == "");
            }
          }
        },
        -0.3);
}

TEST_CASE(
    "forests of larger graphs are Kruskal's by all threads, gathered or over ranks, with multi-edges kept or merged") {
  for (const char* text : {"kron:10:12", "uniform:10:9", "grid:61x37", "path:3001", "star:2000", "complete:90"})
    for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep}) {
      Sample sample{samples::from_text(text), false, duplicates};
      sample.edges.lightest = -0.3;
      const Expected minimum = by_kruskal(sample, ForestKind::minimum, true);
      const Expected maximum = by_kruskal(sample, ForestKind::maximum, true);
      // SpanningForest counts as many.
      std::size_t bytes_of_lists = 0;
      run_ranks(1, {}, [&](World& world) {
        const Graph graph = Graph::build(
            world, cases::slice(sample.edges, false, cases::Weight::wide, false, 0, 1, cases::Distribution::spread),
            {.duplicates = duplicates});
        bytes_of_lists = 28 * static_cast<std::size_t>(graph.out().size()) + 112 * index(graph.active());
      });
      for (const int ranks : {1, 2, 3, 5, 8})
        for (const int threads : {1, 3})
          // Nothing fits rank 0, or not all lists, or all.
          for (const std::size_t replicated_bytes : {std::size_t{800}, bytes_of_lists - 1, std::size_t{1} << 30}) {
            if (ranks == 1 && replicated_bytes < std::size_t{1} << 30) continue;
            if (shapes::kSanitized && (ranks == 5 || ranks == 8)) continue;
            CAPTURE(text);
            CAPTURE(ranks);
            CAPTURE(threads);
            CAPTURE(replicated_bytes);
            Plan plan;
            plan.threads = threads;
            plan.replicated_bytes = replicated_bytes;
            run_ranks(ranks, plan, [&](World& world) {
              for (const Cut cut : {Cut::edge, Cut::cartesian, Cut::hybrid}) {
                if (cut != Cut::edge && (world.size() != 3 || threads > 1)) continue;
                const Partition partition = cut == Cut::edge ? Partition::hashed : Partition::balanced;
                const Graph graph =
                    Graph::build(world,
                                 cases::slice(sample.edges, false, cases::Weight::wide, false, world.rank(),
                                              world.size(), cases::Distribution::spread),
                                 {.duplicates = duplicates, .placement = {.partition = partition, .cut = cut}});
                SpanningForest forest(graph, EdgeWeighting::of_edges);
                SpanningForestResult result;
                for (int turn = 0; turn < 2; ++turn) {
                  forest.run(ForestKind::minimum, result);
                  CHECK(samples::by_id(graph, result.parent) == minimum.parent);
                  CHECK(samples::by_id(graph, result.weight) == minimum.weight);
                  CHECK(result.trees == minimum.trees);
                }
                if (graph.merged_to_least()) continue;
                forest.run(ForestKind::maximum, result);
                CHECK(samples::by_id(graph, result.parent) == maximum.parent);
                CHECK(samples::by_id(graph, result.weight) == maximum.weight);
              }
            });
          }
    }
}

namespace {

// The ring of as many vertices, on the last rank.
template <class Real>
EdgeList ring(const World& world, const std::vector<Real>& weights) {
  const std::size_t n = world.rank() == world.size() - 1 ? weights.size() : 0;
  Array<std::uint32_t> source(n), target(n);
  Array<Real> weight(n);
  for (std::size_t k = 0; k < n; ++k) {
    source[k] = static_cast<std::uint32_t>(k);
    target[k] = static_cast<std::uint32_t>((k + 1) % n);
    weight[k] = weights[k];
  }
  EdgeList edges;
  edges.source = std::move(source);
  edges.target = std::move(target);
  edges.weight = std::move(weight);
  edges.name = "ring";
  return edges;
}

template <class Real>
void check_extreme_weights() {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  for (const Rank ranks : {1, 3}) {
    Plan plan;
    plan.threads = 2;
    run_ranks(ranks, plan, [](World& world) {
      const auto forest_of = [&](const std::vector<Real>& weights, ForestKind kind) {
        const Graph graph = Graph::build(world, ring(world, weights));
        SpanningForestResult result;
        SpanningForest(graph, EdgeWeighting::of_edges).run(kind, result);
        return std::pair(samples::by_id(graph, result.parent), result.total_weight);
      };
      using Parents = std::vector<Vertex>;
      using enum ForestKind;
      CHECK(forest_of({1, kInfinity, -2, -kInfinity}, minimum) == std::pair(Parents{0, 0, 3, 0}, -HUGE_VAL));
      CHECK(forest_of({1, kInfinity, -2, -kInfinity}, maximum) == std::pair(Parents{0, 0, 1, 2}, HUGE_VAL));
      // -0 and 0 are the same weight: ids decide.
      CHECK(forest_of({Real{0}, -Real{0}, Real{0}, -Real{0}}, minimum) == std::pair(Parents{0, 0, 1, 0}, 0.0));
      CHECK(forest_of({Real{0}, -Real{0}, Real{0}, -Real{0}}, maximum) == std::pair(Parents{0, 0, 1, 0}, 0.0));
      const std::vector<Real> bad{1, 2, std::numeric_limits<Real>::quiet_NaN(), 4};
      CHECK_THROWS_WITH_AS(forest_of(bad, minimum), doctest::Contains("between 2 and 3 is not a number"), InputError);
      CHECK(world.sum(1) == world.size());
      const Graph graph = Graph::build(world, ring(world, bad));
      SpanningForestResult result;
      SpanningForest(graph, EdgeWeighting::ones).run(minimum, result);
      CHECK(result.total_weight == 3);
    });
  }
}

}  // namespace

TEST_CASE("weights may be infinite, negative and -0, and one that is not a number is refused on all ranks") {
  check_extreme_weights<float>();
  check_extreme_weights<double>();
}

TEST_CASE("a total weight has the digits that plain sums lose") {
  Plan plan;
  plan.threads = 1;
  for (const Rank ranks : {1, 2, 5})
    run_ranks(ranks, plan, [](World& world) {
      const Graph graph = Graph::build(world, ring<double>(world, {1e17, 1.0, -1e17, 1.0, 1e18}));
      SpanningForestResult result;
      SpanningForest(graph, EdgeWeighting::of_edges).run(ForestKind::minimum, result);
      CHECK(result.total_weight == 2);
    });
}
