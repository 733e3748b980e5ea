// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/clustering_coefficient.hpp>
#include <atoll/algorithms/coreness.hpp>
#include <atoll/algorithms/label_propagation.hpp>
#include <atoll/base/error.hpp>
#include <map>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// The specification's rounds, with a count for each label.
std::vector<Vertex> labels(const Sample& sample, int iterations) {
  std::vector<Vertex> label = sample.edges.ids();
  const auto arcs = sample.arcs();
  for (int i = 0; i < iterations; ++i) {
    std::vector<std::map<Vertex, int>> count(label.size());
    for (const auto& a : arcs) {
      ++count[static_cast<std::size_t>(a.to)][label[static_cast<std::size_t>(a.from)]];
      if (sample.directed) ++count[static_cast<std::size_t>(a.from)][label[static_cast<std::size_t>(a.to)]];
    }
    std::vector<Vertex> next = label;
    for (std::size_t v = 0; v < label.size(); ++v) {
      int most = 0;
      for (const auto& [l, n] : count[v])
        if (n > most) {
          most = n;
          next[v] = l;
        }
    }
    label = std::move(next);
  }
  return label;
}

// By taking away vertices of least degree.
std::vector<Vertex> cores(const Sample& sample) {
  const std::size_t n = sample.vertices();
  std::vector<std::map<Vertex, int>> lists(n);
  for (const auto& a : sample.arcs())
    if (a.from != a.to) lists[static_cast<std::size_t>(a.from)][a.to] = 1;
  std::vector<Vertex> core(n, -1);
  Vertex k = 0;
  for (std::size_t done = 0; done < n; ++done) {
    std::size_t least = n;
    for (std::size_t v = 0; v < n; ++v)
      if (core[v] < 0 && (least == n || lists[v].size() < lists[least].size())) least = v;
    k = std::max(k, static_cast<Vertex>(lists[least].size()));
    core[least] = k;
    for (const auto& [u, _] : lists[least]) lists[static_cast<std::size_t>(u)].erase(static_cast<Vertex>(least));
  }
  return core;
}

}  // namespace

TEST_CASE("labels are those of synchronous propagation over any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    LabelPropagation communities(graph);
    LabelPropagationResult result;
    for (const int iterations : {0, 1, 5}) {
      communities.run({.iterations = iterations}, result);
      CHECK(samples::by_id(graph, result.label) == labels(sample, iterations));
    }
    CHECK_THROWS_AS(communities.run({.iterations = -1}, result), InputError);
  });
}

TEST_CASE("core numbers are those of taking vertices away, over any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    if (sample.directed) {
      CHECK_THROWS_AS(coreness(graph), InputError);
      return;
    }
    const CorenessResult result = coreness(graph);
    const auto expected = cores(sample);
    CHECK(samples::by_id(graph, result.core) == expected);
    CHECK(result.degeneracy == (expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end())));
  });
}

TEST_CASE("clustering coefficients and triangles are those of all pairs of neighbours, over any ranks") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const std::size_t n = sample.vertices();
    std::vector<std::map<Vertex, int>> out(n), near(n);
    for (const auto& a : sample.arcs()) {
      if (a.from == a.to) continue;
      out[static_cast<std::size_t>(a.from)][a.to] = 1;
      near[static_cast<std::size_t>(a.from)][a.to] = near[static_cast<std::size_t>(a.to)][a.from] = 1;
    }
    const ClusteringResult result = clustering_coefficient(graph);
    const auto coefficient = samples::by_id(graph, result.coefficient);
    const auto triangles = samples::by_id(graph, result.triangles);
    Vertex total = 0;
    for (std::size_t v = 0; v < n; ++v) {
      double edges = 0;
      Vertex corners = 0;
      for (const auto& [a, _] : near[v])
        for (const auto& [b, _] : near[v]) {
          edges += static_cast<double>(out[static_cast<std::size_t>(a)].count(b));
          corners += a < b && near[static_cast<std::size_t>(a)].count(b);
        }
      const auto d = static_cast<double>(near[v].size());
      CHECK(coefficient[v] == doctest::Approx(d < 2 ? 0 : edges / (d * (d - 1))));
      CHECK(triangles[v] == corners);
      total += corners;
    }
    CHECK(result.total == total / 3);
  });
}
