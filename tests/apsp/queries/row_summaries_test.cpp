// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/apsp/queries/row_summaries.hpp>
#include <atoll/base/error.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/id_order.hpp>
#include <set>

#include "apsp/queries/pair_samples.hpp"

using namespace atl;
using namespace pair_samples;

namespace {

// Distances of what is reached, by relaxing all edges until nothing changes.
std::map<Vertex, double> relaxed_distances(const Edges& edges, Vertex source, PathsLead lead) {
  std::map<Vertex, double> distance{{source, 0}};
  for (bool any = true; any;) {
    any = false;
    for (const auto& [ends, weight] : edges) {
      const auto [tail, head] = lead == PathsLead::from_vertex ? ends : std::pair(ends.second, ends.first);
      if (!distance.contains(tail)) continue;
      const double through = distance[tail] + weight;
      const auto [at, is_new] = distance.emplace(head, through);
      if (!is_new && !(through < at->second)) continue;
      at->second = through;
      any = true;
    }
  }
  return distance;
}

}  // namespace

TEST_CASE("sums of distances are those of plain searches, in both directions, for any ranks and partitions") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    PairSample sample = random_pair_sample(5 + 6 * seed, 3 * (5 + 6 * seed), seed % 2 == 0, 6, seed);
    if (seed % 3 == 1) {  // fractions: distances are doubles
      for (auto& [u, v, w] : sample.list) w += 0.25;
      for (auto& [ends, w] : sample.edges) w += 0.25;
    }
    for (const Rank ranks : {1, 2, 3, 4, 5, 8})
      run_ranks(ranks, on_one_thread(), [&](World& world) {
        const Graph graph = pair_graph(world, sample, seed % 4 < 2 ? Partition::hashed : Partition::balanced);
        for (const PathsLead lead : {PathsLead::from_vertex, PathsLead::to_vertex}) {
          std::int64_t done = 0;
          const RowSummaries found = summarize_rows(graph, lead, [&](std::int64_t now, std::int64_t) { done = now; });
          CHECK(done == graph.owned());
          for (std::size_t k = 0; k < found.reached.size(); ++k) {
            const Vertex id = graph.ids().id_of(static_cast<Vertex>(k));
            double sum = 0, reciprocals = 0, most = 0;
            const auto distance = relaxed_distances(sample.edges, id, lead);
            for (const auto& [v, d] : distance) {
              sum += d;
              most = std::max(most, d);
              if (d > 0) reciprocals += 1 / d;
            }
            CHECK(found.reached[k] == std::ssize(distance) - 1);
            CHECK(found.farness[k] == sum);
            CHECK(found.harmonic[k] == doctest::Approx(reciprocals));
            CHECK(found.greatest[k] == most);
          }
        }
      });
  }
}

TEST_CASE("a larger graph, in several batches by several threads, has the sums of all searches") {
  Plan plan;
  plan.threads = 3;
  run_ranks(1, plan, [](World& world) {
    EdgeList edges = generate(world, "grid:50x60");
    Array<double> weight(edges.size(), 2);
    edges.weight = std::move(weight);
    const Graph graph = Graph::build(world, std::move(edges));
    const RowSummaries found = summarize_rows(graph, PathsLead::from_vertex);
    CHECK(*std::ranges::max_element(found.greatest) == 2 * (49 + 59));
    CHECK(std::ranges::all_of(found.reached, [](Vertex reached) { return reached == 2999; }));
  });
}

TEST_CASE("weights that cannot be lengths are refused on all ranks") {
  run_ranks(3, on_one_thread(), [](World& world) {
    CHECK_THROWS_AS(summarize_rows(Graph::build(world, generate(world, "path:5")), PathsLead::to_vertex), InputError);
    const PairSample negative{false, {{4, 5, -1}}, {}};
    CHECK_THROWS_AS(summarize_rows(pair_graph(world, negative), PathsLead::to_vertex), InputError);
    const Graph none = pair_graph(world, {true, {}, {}});
    CHECK(summarize_rows(none, PathsLead::to_vertex).reached.size() == 0);
    CHECK(world.sum(1) == 3);
  });
}
