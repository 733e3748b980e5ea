// SPDX-License-Identifier: Apache-2.0
// Rows of all ranks on each, and arrays of all ranks on the first.
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/engine/first_rank.hpp>
#include <atoll/engine/rows_over_ranks.hpp>
#include <vector>

#include "algorithms/spread_samples.hpp"

using namespace atl;

namespace {

struct WeightedEdge {
  Vertex from, to;
  double weight;
  auto operator<=>(const WeightedEdge&) const = default;
};

// This rank's edges by ids, of lists whose rows and targets have these ids.
template <class IdOf>
std::vector<WeightedEdge> edges_of(const Csr& lists, std::size_t rows, IdOf&& id_of) {
  std::vector<WeightedEdge> edges;
  for (Local v = 0; v < static_cast<Local>(rows); ++v)
    lists.for_edges(v,
                    [&](Local u, auto weight) { edges.push_back({id_of(v), id_of(u), static_cast<double>(weight)}); });
  return edges;
}

std::vector<WeightedEdge> sorted(std::vector<WeightedEdge> edges) {
  std::sort(edges.begin(), edges.end());
  return edges;
}

void check_lists(const Graph& graph, const RowsOverRanks& rows, const std::vector<Vertex>& ids, const Csr& lists,
                 EdgeWeighting weights) {
  World& world = graph.world();
  std::vector<WeightedEdge> mine = edges_of(lists, index(graph.active()), [&](Local v) { return graph.id_of(v); });
  if (weights == EdgeWeighting::ones)
    for (WeightedEdge& edge : mine) edge.weight = 1;
  std::vector<WeightedEdge> expected = sorted(world.all_gather_varying(std::span<const WeightedEdge>(mine)));
  const auto id_of = [&](Local row) { return ids[index(row)]; };
  const Csr whole = rows.gather(lists, weights);
  if (world.rank() == 0) {
    REQUIRE(whole.offsets.size() == ids.size() + 1);
    CHECK(sorted(edges_of(whole, ids.size(), id_of)) == expected);
    for (std::size_t row = 0; row < ids.size(); ++row)
      CHECK(std::ranges::is_sorted(whole.neighbours(static_cast<Local>(row))));
  } else {
    CHECK(whole.size() == 0);
  }
  for (WeightedEdge& edge : expected) edge.weight = 1;
  const Csr copy = rows.replicate(lists);
  REQUIRE(copy.offsets.size() == ids.size() + 1);
  CHECK(sorted(edges_of(copy, ids.size(), id_of)) == sorted(std::move(expected)));
}

}  // namespace

TEST_CASE("the first rank, or each, gets the lists of all, for any ranks, routes and cuts") {
  for (const cases::Weight weight : {cases::Weight::none, cases::Weight::narrow, cases::Weight::wide})
    samples::for_each_spread(weight, [&](const samples::Sample&, const Graph& graph) {
      const RowsOverRanks rows(graph);
      std::vector<Vertex> own;
      for (Local v = 0; v < graph.active(); ++v) {
        CHECK(rows.of()[v] == rows.begin() + v);
        CHECK(rows.is_own(rows.of()[v]));
        own.push_back(graph.id_of(v));
      }
      const std::vector<Vertex> ids = graph.world().all_gather_varying(std::span<const Vertex>(own));
      CHECK(rows.blocks().count() == static_cast<Vertex>(ids.size()));
      for (const EdgeWeighting weights : {EdgeWeighting::ones, EdgeWeighting::of_edges})
        for (const Csr* lists : {&graph.out(), &graph.in()}) check_lists(graph, rows, ids, *lists, weights);
    });
}

TEST_CASE("arrays of all ranks lie one behind the other on the first") {
  for (const Rank ranks : {1, 2, 3, 4, 5, 8})
    for (const int most : {0, 1, 7, 100000})
      run_ranks(ranks, {}, [&](World& world) {
        std::vector<std::int64_t> mine(static_cast<std::size_t>(most / (world.rank() + 1)));
        for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = 10000000 * world.rank() + static_cast<int>(k);
        const Array<std::int64_t> all = gather_on_first_rank(world, std::span<const std::int64_t>(mine));
        const std::vector<std::int64_t> expected = world.all_gather_varying(std::span<const std::int64_t>(mine));
        if (world.rank() == 0) {
          CHECK(std::ranges::equal(all, expected));
        } else {
          CHECK(all.size() == 0);
        }
      });
}
