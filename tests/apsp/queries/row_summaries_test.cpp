// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/apsp/queries/row_summaries.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <limits>

#include "algorithms/spread_samples.hpp"

using namespace atl;

namespace {

constexpr double kNotReached = std::numeric_limits<double>::infinity();

std::vector<double> summary_distances(std::size_t n, const std::vector<samples::Arc>& arcs, std::size_t source) {
  std::vector<double> distance(n, kNotReached);
  distance[source] = 0;
  for (bool any = true; any;) {
    any = false;
    for (const auto& a : arcs) {
      const double through = distance[static_cast<std::size_t>(a.from)] + a.weight;
      double& known = distance[static_cast<std::size_t>(a.to)];
      if (through < known) known = through, any = true;
    }
  }
  return distance;
}

}  // namespace

TEST_CASE("sums of distances are those of plain searches, in both directions, for any ranks and partitions") {
  samples::for_each_spread(
      cases::Weight::wide,
      [](const samples::Sample& sample, const Graph& graph) {
        const std::vector<Vertex> ids = sample.edges.ids();
        const std::size_t n = ids.size();
        if (n > 150) return;  // the plain searches take n^2 m
        for (const PathsLead lead : {PathsLead::from_vertex, PathsLead::to_vertex}) {
          auto arcs = sample.arcs();
          if (lead == PathsLead::to_vertex)
            for (auto& a : arcs) std::swap(a.from, a.to);
          const RowSummaries found = summarize_rows(graph, lead);
          const auto farness = samples::by_id(graph, found.farness), harmonic = samples::by_id(graph, found.harmonic),
                     greatest = samples::by_id(graph, found.greatest);
          const auto reached = samples::by_id(graph, found.reached);
          for (std::size_t v = 0; v < n; v += 1 + n / 9) {
            double sum = 0, reciprocals = 0, most = 0;
            Vertex others = 0;
            const auto distance = summary_distances(n, arcs, v);
            for (std::size_t u = 0; u < n; ++u) {
              if (u == v || distance[u] == kNotReached) continue;
              ++others;
              sum += distance[u];
              most = std::max(most, distance[u]);
              if (distance[u] > 0) reciprocals += 1 / distance[u];
            }
            CHECK(reached[v] == others);
            CHECK(farness[v] == doctest::Approx(sum));
            CHECK(harmonic[v] == doctest::Approx(reciprocals));
            CHECK(greatest[v] == most);
          }
        }
      },
      0.125);
}

TEST_CASE("weights that cannot be lengths are refused on all ranks") {
  run_ranks(3, {}, [](World& world) {
    CHECK_THROWS_AS(summarize_rows(Graph::build(world, generate(world, "path:5")), PathsLead::to_vertex), InputError);
    EdgeList edges;
    edges.source = Array<Vertex>(world.rank() == 1 ? 1 : 0, 4);
    edges.target = Array<Vertex>(world.rank() == 1 ? 1 : 0, 5);
    edges.weight = Array<double>(world.rank() == 1 ? 1 : 0, -1);
    CHECK_THROWS_AS(summarize_rows(Graph::build(world, std::move(edges)), PathsLead::to_vertex), InputError);
    CHECK(world.sum(1) == 3);
  });
}
