// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/base/error.hpp>
#include <map>
#include <vector>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// The rounds of the specification, with a counter for each label.
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

}  // namespace

TEST_CASE("labels equal those of synchronous propagation for any ranks, routes and partitions") {
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
