// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/spanning_forest/spanning_forest.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/spanning_forest.hpp>
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
            CHECK_THROWS_AS(SpanningForest(graph, ForestWeights::given), InputError);
            return;
          }
          for (const ForestWeights weights : {ForestWeights::given, ForestWeights::unit}) {
            const bool by_weight = weight != cases::Weight::none && weights == ForestWeights::given;
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
