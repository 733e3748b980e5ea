// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/algorithms/label_propagation/vertex_cut.hpp>
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

TEST_CASE("labels over a vertex-cut do not depend on how many counts are received at once, nor on the width of ids") {
  for (const char* text : {"kron:9:9", "uniform:8:5", "grid:17x9"})
    for (const bool directed : {false, true})
      for (const Cut cut : {Cut::cartesian, Cut::hybrid}) {
        const Sample sample{samples::from_text(text), directed, Duplicates::keep};
        const auto expected = labels(sample, 4);
        CAPTURE(text);
        CAPTURE(directed);
        CAPTURE(static_cast<int>(cut));
        Plan plan;
        plan.threads = 2;
        run_ranks(4, plan, [&](World& world) {
          const Graph graph = Graph::build(
              world,
              cases::slice(sample.edges, directed, cases::Weight::none, false, world.rank(), world.size(),
                           cases::Distribution::spread),
              {.duplicates = Duplicates::keep, .placement = {.partition = Partition::hashed, .cut = cut, .heavy = 9}});
          LabelPropagationResult result;
          const auto check_rounds = [&](auto&& rounds) {
            for (int turn = 0; turn < 2; ++turn) {
              rounds.run({.iterations = 4}, result);
              CHECK(samples::by_id(graph, result.label) == expected);
            }
          };
          for (const double at_once : {1e9, 500.0, 40.0}) check_rounds(VertexCutRounds<Vertex>(graph, at_once));
          check_rounds(VertexCutRounds<Local>(graph));
        });
      }
}
