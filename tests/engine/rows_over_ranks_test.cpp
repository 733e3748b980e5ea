// SPDX-License-Identifier: Apache-2.0
// Rows of all ranks on each, and arrays of all ranks on the first.
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/engine/first_rank.hpp>
#include <atoll/engine/rows_over_ranks.hpp>
#include <utility>
#include <vector>

#include "algorithms/spread_samples.hpp"

using namespace atl;

namespace {

using Pairs = std::vector<std::pair<Vertex, Vertex>>;

// The edges in all ranks' lists, by ids.
Pairs edges_of(const Graph& graph, const Csr& lists) {
  struct Ends {
    Vertex from, to;
  };
  std::vector<Ends> mine;
  for (Local v = 0; v < graph.active(); ++v)
    for (const Local u : lists.neighbours(v)) mine.push_back({graph.id_of(v), graph.id_of(u)});
  Pairs all;
  for (const Ends& ends : graph.world().all_gather_varying(std::span<const Ends>(mine)))
    all.emplace_back(ends.from, ends.to);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("each rank gets the lists of all, for any ranks, routes and cuts") {
  samples::for_each_spread(cases::Weight::none, [](const samples::Sample&, const Graph& graph) {
    const RowsOverRanks rows(graph);
    std::vector<Vertex> own;
    for (Local v = 0; v < graph.active(); ++v) {
      CHECK(rows.of()[v] == rows.begin() + v);
      CHECK(rows.is_own(rows.of()[v]));
      own.push_back(graph.id_of(v));
    }
    const std::vector<Vertex> ids = graph.world().all_gather_varying(std::span<const Vertex>(own));
    CHECK(rows.blocks().count() == static_cast<Vertex>(ids.size()));
    for (const Csr* lists : {&graph.out(), &graph.in()}) {
      const Csr all = rows.replicate(*lists);
      REQUIRE(all.offsets.size() == ids.size() + 1);
      Pairs found;
      for (std::size_t row = 0; row < ids.size(); ++row)
        for (const Local target : all.neighbours(static_cast<Local>(row))) found.emplace_back(ids[row], ids[target]);
      std::sort(found.begin(), found.end());
      CHECK(found == edges_of(graph, *lists));
    }
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
