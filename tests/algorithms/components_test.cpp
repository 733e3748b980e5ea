// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/components.hpp>
#include <set>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;
using samples::least_ids;

TEST_CASE("components are the same over any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const std::vector<Vertex> expected = least_ids(sample);
    Components components(graph);
    ComponentsResult result;
    for (int again = 0; again < 2; ++again) {
      components.run(result);
      CHECK(samples::by_id(graph, result.component) == expected);
      CHECK(result.components == static_cast<Vertex>(std::set<Vertex>(expected.begin(), expected.end()).size()));
    }
  });
}
