// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/components_local.hpp>
#include <set>

#include "algorithms/local_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// The least id of each vertex's component, by passing it along edges until nothing changes.
std::vector<Vertex> least_ids(const Sample& sample) {
  std::vector<Vertex> label = sample.edges.ids();
  const auto arcs = sample.arcs();
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& a : arcs) {
      Vertex &x = label[static_cast<std::size_t>(a.from)], &y = label[static_cast<std::size_t>(a.to)];
      changed |= x != y;
      x = y = std::min(x, y);
    }
  }
  return label;
}

void check_components(const Sample& sample, const Graph& graph) {
  const auto expected = least_ids(sample);
  ComponentsLocal components(graph);
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
      world, cases::slice(sample.edges, sample.directed, cases::Weight::none, false, 0, 1, cases::Dealing::spread),
      options);
}

}  // namespace

TEST_CASE("components on one rank are those of the edges taken both ways, named by their least id") {
  samples::for_each(cases::Weight::none, {machine_isa()},
                    [](const Sample& s, const Graph& graph) { check_components(s, graph); });
}

TEST_CASE("components of graphs whose chunks and rounds are many") {
  // Long paths in falling and in mixed order, several large components of which none is a giant, and a giant whose
  // least id comes late.
  std::vector<cases::Case> list;
  cases::Case falling{"falling path", {}, {}, {}}, mixed{"mixed path", {}, {}, {}}, four{"four parts", {}, {}, {}};
  cases::Case late{"late giant", {}, {}, {}};
  constexpr Vertex kLength = 40000;
  for (Vertex v = 0; v + 1 < kLength; ++v) {
    falling.edges.emplace_back(kLength - v, kLength - v - 1);
    const auto place = [](Vertex k) { return k * 7919 % kLength; };
    mixed.edges.emplace_back(place(v), place(v + 1));
    if ((v + 1) % (kLength / 4) != 0) four.edges.emplace_back(v, v + 1);
    late.edges.emplace_back(kLength + place(v), kLength + place(v + 1));
    if (v % 10 == 0) late.edges.emplace_back(v, v + 1);
  }
  for (const auto& c : {falling, mixed, four, late})
    for (const bool directed : {false, true})
      for (const int threads : {1, 2, 3}) {
        CAPTURE(c.name);
        CAPTURE(directed);
        CAPTURE(threads);
        Plan plan;
        plan.threads = threads;
        const auto world = World::alone(plan);
        const Sample sample{c, directed, Duplicates::merge_min};
        const Graph graph = build(*world, sample);
        ComponentsLocal components(graph);
        ComponentsResult result;
        components.run(result);
        std::set<Vertex> labels;
        const auto ids = c.ids();
        // By construction: every part is an interval of ids.
        Vertex begin = ids[0];
        std::size_t wrong = 0;
        for (std::size_t v = 0; v < ids.size(); ++v) {
          if (v > 0 && (c.name == "four parts"
                            ? ids[v] % (kLength / 4) == 0
                            : c.name == "late giant" && (ids[v] == kLength || (ids[v] < kLength && ids[v] % 10 == 0))))
            begin = ids[v];
          wrong += result.component[v] != begin;
          labels.insert(begin);
        }
        CHECK(wrong == 0);
        CHECK(result.components == static_cast<Vertex>(labels.size()));
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

TEST_CASE("components on one rank refuses a graph over several") {
  const cases::Case c = samples::from_text("path:5");
  Plan plan;
  plan.threads = 1;
  run_ranks(2, plan, [&](World& world) {
    const Graph graph = Graph::build(
        world, cases::slice(c, false, cases::Weight::none, false, world.rank(), 2, cases::Dealing::spread));
    CHECK_THROWS_AS(ComponentsLocal{graph}, InputError);
  });
}
