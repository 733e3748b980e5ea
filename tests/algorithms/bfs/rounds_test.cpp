// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <map>

using namespace atl;

TEST_CASE("the first and the last hundred rounds are kept, the others as sums") {
  for (const std::size_t count : {0, 1, 99, 100, 101, 199, 200, 201, 299, 300, 1000, 1234}) {
    CAPTURE(count);
    BfsRounds rounds;
    for (int before = 0; before < 2; ++before) {  // the second time over what the first has left
      rounds.clear();
      for (std::size_t k = 0; k < count; ++k)
        rounds.add({.found = static_cast<Vertex>(k), .pulled = k % 3 == 0, .seconds = 0.5, .waited_seconds = 0.25});
    }
    std::map<std::size_t, Vertex> kept;
    std::size_t pulls = 0;
    rounds.for_each([&](std::size_t k, const BfsRound& round) {
      CHECK((kept.empty() || kept.rbegin()->first < k));
      kept[k] = round.found;
      pulls += round.pulled;
    });
    CHECK(rounds.size() == count);
    CHECK(kept.size() == std::min(count, 2 * BfsRounds::kKept));
    CHECK(kept.size() + rounds.between().rounds == count);
    Vertex found = rounds.between().found;
    for (const auto& [k, value] : kept) {
      CHECK(value == static_cast<Vertex>(k));
      CHECK((k < BfsRounds::kKept || k + BfsRounds::kKept >= count));
      found += value;
    }
    CHECK(found == static_cast<Vertex>(count * (count - (count > 0)) / 2));
    CHECK(pulls + rounds.between().pulls == (count + 2) / 3);
    CHECK(rounds.between().seconds == 0.5 * static_cast<double>(rounds.between().rounds));
    CHECK(rounds.between().waited_seconds == 0.25 * static_cast<double>(rounds.between().rounds));
  }
}

TEST_CASE("a search of many levels tells of each round once, whatever the number of ranks") {
  for (const Rank ranks : {1, 2, 3})
    run_ranks(ranks, Plan{}, [](World& world) {
      const Graph graph = Graph::build(world, generate(world, "path:1001"), {});
      const BfsResult found = bfs(graph, 0);
      CHECK(found.levels == 1001);
      CHECK(found.rounds.size() >= 1000);
      Vertex reached = 1 + found.rounds.between().found;
      found.rounds.for_each([&](std::size_t, const BfsRound& round) { reached += round.found; });
      CHECK(reached == 1001);
      CHECK(found.rounds.between().rounds == found.rounds.size() - 200);
    });
}
