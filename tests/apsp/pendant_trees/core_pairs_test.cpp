// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/pendant_trees/core_pairs.hpp>
#include <atoll/apsp/pendant_trees/pendant_trees.hpp>
#include <atoll/base/error.hpp>

#include "apsp/samples.hpp"

using namespace atl;

namespace {

template <class T>
void by_triples(const ReplicatedCsr<T>& core, MatrixView<T> d) {
  Team alone(1);
  set_arc_entries(alone, core, Semiring::min_plus, d);
  for (Vertex k = 0; k < d.rows; ++k)
    for (Vertex i = 0; i < d.rows; ++i)
      for (Vertex j = 0; j < d.cols; ++j) d(i, j) = std::min(d(i, j), path_sum(d(i, k), d(k, j)));
}

}  // namespace

TEST_CASE_TEMPLATE("pendant trees, any method for cores, and expansion give all distances", T, float, double,
                   std::int32_t, std::uint16_t, std::uint8_t) {
  Team team(2);
  for (const auto& sample : samples::all<T>()) {
    CAPTURE(sample.name);
    CAPTURE(sample.directed);
    const ReplicatedCsr<T> arcs = sample.build();
    const auto expected = sample.distances();
    for (const char* name : {"auto", "fw", "dijkstra", "delta", "bfs"}) {
      CAPTURE(name);
      if (std::string_view(name) == "bfs" && !arcs.is_unit()) continue;
      // So slow a kernel that "auto" tries the other methods.
      PairsReport report;
      const Matrix<T> d = core_pairs<T>(team, arcs, {.method = pairs_method_named(name), .operations_per_second = 100},
                                        by_triples<T>, &report);
      bool same = true;
      for (std::size_t i = 0; i < sample.n; ++i)
        same &= std::equal(expected[i].begin(), expected[i].end(), d.view().row(static_cast<std::int64_t>(i)).begin());
      CHECK(same);
      CHECK(report.work <= report.whole_work);
      for (std::size_t k = 1; k < report.estimates.size(); ++k)
        CHECK(report.estimates[k - 1].seconds <= report.estimates[k].seconds);
    }
  }
}

TEST_CASE("auto uses Floyd-Warshall if that is quick, otherwise a search") {
  Team team(1);
  const auto sample = samples::random_graph<float>(1000, 4000, false, 1, 9, 2);
  const ReplicatedCsr<float> arcs = sample.build();
  PreparedArcs<float> prepared(arcs);
  const auto best = [&](double rate, Rank ranks) {
    return estimate_methods(team, prepared, floyd_warshall_seconds(arcs, rate), ranks).front();
  };
  CHECK(best(1e15, 1).method == PairsMethod::floyd_warshall);
  CHECK(best(1e6, 1).method != PairsMethod::floyd_warshall);
  CHECK(best(1e6, 100).seconds < 0.1 * best(1e6, 1).seconds);  // each rank has a part of the sources
}

TEST_CASE("a negative cycle in a core and an unknown method are rejected") {
  Team team(1);
  const samples::Sample<std::int32_t> s{"roads.gr", 4, true, {{0, 1, 2}, {1, 2, -4}, {2, 0, 1}, {3, 0, 7}}};
  for (const auto method : {PairsMethod::floyd_warshall, PairsMethod::delta, PairsMethod::dijkstra})
    CHECK_THROWS_WITH_AS(core_pairs<std::int32_t>(team, s.build(), {.method = method}, by_triples<std::int32_t>),
                         doctest::Contains("roads.gr: the cycle 10 -> 13 -> 16 -> 10 weighs -1"), InputError);
  CHECK_THROWS_AS(pairs_method_named("floyd"), InputError);
}
