// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/eccentricity/eccentricity.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/eccentricity_samples.hpp>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

struct Expected {
  std::vector<Vertex> eccentricity, component;
  Vertex components = 0, diameter = 0, radius = 0;
};

// A search from every vertex.
Expected by_searches(const Sample& sample) {
  const std::size_t n = sample.vertices();
  std::vector<std::vector<std::size_t>> next(n);
  for (const auto& a : sample.arcs()) next[static_cast<std::size_t>(a.from)].push_back(static_cast<std::size_t>(a.to));
  Expected expected;
  expected.eccentricity.resize(n);
  expected.component.resize(n);
  std::vector<Vertex> size(n, 0);
  for (std::size_t s = 0; s < n; ++s) {
    std::vector<Vertex> depth(n, -1);
    std::vector<std::size_t> queue{s};
    depth[s] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::size_t u : next[queue[i]])
        if (depth[u] < 0) {
          depth[u] = depth[queue[i]] + 1;
          queue.push_back(u);
        }
    expected.eccentricity[s] = depth[queue.back()];
    expected.component[s] = static_cast<Vertex>(*std::min_element(queue.begin(), queue.end()));
    size[static_cast<std::size_t>(expected.component[s])] = static_cast<Vertex>(queue.size());
  }
  const auto largest = std::max_element(size.begin(), size.end()) - size.begin();  // of several the first
  for (std::size_t v = 0; v < n; ++v) {
    expected.components += expected.component[v] == static_cast<Vertex>(v);
    expected.diameter = std::max(expected.diameter, expected.eccentricity[v]);
    if (expected.component[v] == largest)
      expected.radius = v == static_cast<std::size_t>(largest) ? expected.eccentricity[v]
                                                               : std::min(expected.radius, expected.eccentricity[v]);
  }
  return expected;
}

}  // namespace

TEST_CASE("eccentricities are those of a search from every vertex, for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    if (graph.directed() || sample.vertices() > 1000) return;
    const Expected expected = by_searches(sample);
    Eccentricity eccentricity(graph);
    EccentricityResult result;
    for (int again = 0; again < 2; ++again) {
      eccentricity.run({}, result);
      CHECK(result.exact);
      CHECK(samples::by_id(graph, result.lower) == expected.eccentricity);
      CHECK(samples::by_id(graph, result.upper) == expected.eccentricity);
      CHECK(result.components == expected.components);
      CHECK(result.diameter_lower == expected.diameter);
      CHECK(result.diameter_upper == expected.diameter);
      CHECK(result.radius_lower == expected.radius);
      CHECK(result.radius_upper == expected.radius);
    }
    const std::int64_t all = result.searches;
    CHECK(verify_eccentricity(graph, {result.lower.data(), result.lower.size()}).ok);

    eccentricity.run({.find = Eccentricities::extremes, .max_searches = {}, .progress = {}}, result);
    CHECK(result.exact);
    CHECK(result.searches <= all);
    CHECK(result.diameter_lower == expected.diameter);
    CHECK(result.diameter_upper == expected.diameter);
    CHECK(result.radius_lower == expected.radius);
    CHECK(result.radius_upper == expected.radius);

    for (const std::int64_t searches : {1, 3}) {
      eccentricity.run({.find = Eccentricities::all, .max_searches = searches, .progress = {}}, result);
      CHECK(result.searches <= searches);
      const auto lower = samples::by_id(graph, result.lower), upper = samples::by_id(graph, result.upper);
      for (std::size_t v = 0; v < lower.size(); ++v) {
        CHECK(lower[v] <= expected.eccentricity[v]);
        CHECK(upper[v] >= expected.eccentricity[v]);
      }
      CHECK(result.exact == (lower == upper));
      CHECK(result.diameter_lower <= expected.diameter);
      CHECK(result.diameter_upper >= expected.diameter);
      CHECK(result.radius_lower <= expected.radius);
      CHECK(result.radius_upper >= expected.radius);
    }
  });
}

TEST_CASE("few searches are enough where vertices differ") {
  Plan plan;
  plan.threads = 2;
  run_ranks(2, plan, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "kron:11"));
    Eccentricity eccentricity(graph);
    EccentricityResult result;
    eccentricity.run({}, result);
    CHECK(result.exact);
    CHECK(result.searches < graph.vertices() / 4);
    EccentricityResult extremes;
    eccentricity.run({.find = Eccentricities::extremes, .max_searches = {}, .progress = {}}, extremes);
    CHECK(extremes.diameter_lower == result.diameter_lower);
    CHECK(extremes.searches < result.searches);
  });
}

TEST_CASE("eccentricities of directed graphs, and no searches, are refused the same on all ranks") {
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    EdgeList edges = generate(world, "path:9");
    edges.directed = true;
    const Graph directed = Graph::build(world, std::move(edges));
    CHECK_THROWS_AS(Eccentricity{directed}, InputError);
    const Graph graph = Graph::build(world, generate(world, "path:9"));
    Eccentricity eccentricity(graph);
    EccentricityResult result;
    CHECK_THROWS_AS(eccentricity.run({.find = Eccentricities::all, .max_searches = 0, .progress = {}}, result),
                    InputError);
    CHECK(world.sum(1) == 3);
  });
}

TEST_CASE("the check names a wrong eccentricity") {
  Plan plan;
  plan.threads = 1;
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, plan, [](World& world) {
      const Graph graph = Graph::build(world, generate(world, "grid:7x5"));
      EccentricityResult result;
      Eccentricity(graph).run({}, result);
      const auto with = [&](Vertex id, Vertex by, EccentricityTerms terms = {}) {
        Array<Vertex> changed(result.lower.size());
        std::copy(result.lower.begin(), result.lower.end(), changed.begin());
        if (const Vertex k = graph.ids().find_here(id); k >= 0) changed[static_cast<std::size_t>(k)] += by;
        return verify_eccentricity(graph, {changed.data(), changed.size()}, terms);
      };
      CHECK(with(3, 0).ok);
      CHECK(with(3, 0, {.samples = 1000}).ok);
      CHECK(with(3, -100).what.find("rule 1: vertex 3 with") == 0);
      CHECK(with(3, 100).what.find("rule 1: vertex 3 with") == 0);
      CHECK(with(3, 3).what.find("rule 2: vertex ") == 0);
      // the middle of the grid may be one more as far as its neighbours are concerned
      CHECK(with(17, 1, {.samples = 0}).ok);
      CHECK(with(17, 1, {.samples = 1000}).what ==
            "rule 3: vertex 17 has the eccentricity 6 (a search from it is 5 deep)");
      using enum EccentricityValues;
      CHECK(with(17, 1, {.values = lower_bounds, .samples = 1000}).what.find("rule 3: vertex 17") == 0);
      CHECK(with(17, 1, {.values = upper_bounds, .samples = 1000}).ok);
      CHECK(with(17, -1, {.values = lower_bounds, .samples = 1000}).ok);
    });
}
