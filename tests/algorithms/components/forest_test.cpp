// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/components/components.hpp>
#include <set>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::least_ids;
using samples::Sample;

namespace {

void check_components(const Sample& sample, const Graph& graph) {
  const auto expected = least_ids(sample);
  Components components(graph);
  ComponentsResult result;
  for (int again = 0; again < 2; ++again) {
    components.run(result);
    REQUIRE(result.component.size() == expected.size());
    CHECK(std::equal(expected.begin(), expected.end(), result.component.begin()));
    CHECK(result.components == static_cast<Vertex>(std::set<Vertex>(expected.begin(), expected.end()).size()));
  }
}

Graph build(World& world, const Sample& sample, const GraphOptions& options = {}) {
  return Graph::build(
      world, cases::slice(sample.edges, sample.directed, cases::Weight::none, false, 0, 1, cases::Distribution::spread),
      options);
}

}  // namespace

TEST_CASE("components on one rank ignore directions and are named by their smallest id") {
  samples::for_each(cases::Weight::none, {machine_isa()},
                    [](const Sample& s, const Graph& graph) { check_components(s, graph); });
}

TEST_CASE("components of graphs with many chunks and rounds, also if each rank's part has a giant of its own") {
  // Long paths in descending and in mixed order, several large components without a giant, a giant whose smallest id
  // occurs late, and a chain of stars.
  std::vector<cases::Case> list;
  cases::Case falling{"falling path", {}, {}, {}}, mixed{"mixed path", {}, {}, {}}, four{"four parts", {}, {}, {}};
  cases::Case late{"late giant", {}, {}, {}}, stars{"stars", {}, {}, {}};
  constexpr Vertex kLength = shapes::kSanitized ? 4000 : 40000;
  for (Vertex v = 0; v + 1 < kLength; ++v) {
    falling.edges.emplace_back(kLength - v, kLength - v - 1);
    const auto place = [](Vertex k) { return k * 7919 % kLength; };
    mixed.edges.emplace_back(place(v), place(v + 1));
    if ((v + 1) % (kLength / 4) != 0) four.edges.emplace_back(v, v + 1);
    late.edges.emplace_back(kLength + place(v), kLength + place(v + 1));
    if (v % 10 == 0) late.edges.emplace_back(v, v + 1);
    stars.edges.emplace_back(v / 500 * 500, v + 1);  // each hub's last leaf is the first of the next
  }
  for (const auto& c : {falling, mixed, four, late, stars})
    for (const bool directed : {false, true})
      for (const auto& [ranks, threads] : {std::pair<Rank, int>{1, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 2}, {5, 1}})
        for (const Partition partition : {Partition::blocked, Partition::hashed}) {
          if (ranks == 1 && partition == Partition::hashed) continue;
          CAPTURE(c.name);
          CAPTURE(directed);
          CAPTURE(ranks);
          CAPTURE(threads);
          // By construction every component is an interval of ids.
          const auto ids = c.ids();
          std::vector<Vertex> expected;
          std::set<Vertex> labels;
          for (const Vertex id : ids) {
            const bool first = expected.empty() || (c.name == "four parts" && id % (kLength / 4) == 0) ||
                               (c.name == "late giant" && (id == kLength || (id < kLength && id % 10 == 0)));
            expected.push_back(first ? id : expected.back());
            labels.insert(expected.back());
          }
          Plan plan;
          plan.threads = threads;
          run_ranks(ranks, plan, [&](World& world) {
            const Graph graph = Graph::build(world,
                                             cases::slice(c, directed, cases::Weight::none, false, world.rank(),
                                                          world.size(), cases::Distribution::spread),
                                             {.placement = {.partition = partition}});
            Components components(graph);
            ComponentsResult result;
            components.run(result);
            CHECK(samples::by_id(graph, result.component) == expected);
            CHECK(result.components == static_cast<Vertex>(labels.size()));
          });
        }
}

TEST_CASE("components over ranks that may not gather the remaining trees: labels travel from tree to tree") {
  const Sample sample{samples::from_text("path:1200"), true, Duplicates::merge_min};
  const Sample parts{samples::from_text("uniform:10:1"), false, Duplicates::merge_min};
  for (const Sample& s : {sample, parts}) {
    const auto expected = least_ids(s);
    Plan plan;
    plan.threads = 1;
    plan.replicated_bytes = 200;
    run_ranks(3, plan, [&](World& world) {
      const Graph graph = Graph::build(world,
                                       cases::slice(s.edges, s.directed, cases::Weight::none, s.edges.ids().empty(),
                                                    world.rank(), world.size(), cases::Distribution::spread),
                                       {.placement = {.partition = Partition::hashed}});
      Components components(graph);
      ComponentsResult result;
      for (int again = 0; again < 2; ++again) {
        components.run(result);
        CHECK(samples::by_id(graph, result.component) == expected);
      }
    });
  }
}

TEST_CASE("components are the same whether hubs are sorted and isolated vertices kept or not") {
  const Sample sample{samples::from_text("kron:10:2"), true, Duplicates::merge_min};
  for (const bool sorted : {false, true})
    for (const Isolated isolated : {Isolated::drop, Isolated::keep}) {
      Plan plan;
      plan.threads = 2;
      const auto world = World::alone(plan);
      check_components(sample, build(*world, sample, {.degree_sort = sorted, .isolated = isolated}));
    }
}
