// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/components/components.hpp>
#include <set>

#include "algorithms/spread_samples.hpp"
#include "shapes.hpp"

using namespace atl;
using samples::least_ids;
using samples::Sample;

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

TEST_CASE("components over a vertex-cut are the same if more trees meet than can be replicated") {
  // In each, several times as many meet as fit replicated_bytes.
  const std::vector<const char*> texts = shapes::kSanitized
                                             ? std::vector<const char*>{"path:1000", "kron:9", "uniform:10:2"}
                                             : std::vector<const char*>{"path:3000", "kron:9", "uniform:11:2"};
  for (const char* text : texts)
    for (const char* route : {"direct", "domain"})
      for (const Cut cut : {Cut::cartesian, Cut::hybrid}) {
        Plan plan;
        plan.threads = 1;
        plan.domains = "2x2";
        plan.route = route;
        plan.replicated_bytes = 1000;
        CAPTURE(text);
        CAPTURE(route);
        CAPTURE(static_cast<int>(cut));
        const Sample sample{samples::from_text(text), true, Duplicates::merge_min};
        run_ranks(4, plan, [&](World& world) {
          const Graph graph = Graph::build(world,
                                           cases::slice(sample.edges, true, cases::Weight::none, false, world.rank(),
                                                        world.size(), cases::Distribution::spread),
                                           {.placement = {.partition = Partition::hashed, .cut = cut, .heavy = 4}});
          Components components(graph);
          ComponentsResult result;
          components.run(result);
          CHECK(samples::by_id(graph, result.component) == samples::least_ids(sample));
        });
      }
}
