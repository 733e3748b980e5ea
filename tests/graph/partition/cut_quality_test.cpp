// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/partition/cut_quality.hpp>

#include "graph/partition/small_graphs.hpp"

using namespace atl;
using small::WeightedEdge;

TEST_CASE("of the worthwhile cuts the one that moves the fewest bytes is chosen") {
  // Many vertices point to few, along half of the edges or all. Every in-degree counts as heavy: a hybrid cut places
  // each edge on its source's owner, so mirrors are only written.
  struct Sample {
    bool all_to_few;
    Rank ranks;
    Cut chosen, worthwhile_too;
  };
  for (const auto& [all_to_few, ranks, chosen, worthwhile_too] :
       {Sample{false, 16, Cut::cartesian, Cut::hybrid}, Sample{true, 4, Cut::hybrid, Cut::cartesian}}) {
    CAPTURE(ranks);
    std::vector<WeightedEdge> edges;
    constexpr Vertex kVertices = 400;
    for (std::uint64_t i = 0; i < 6000; ++i) {
      const auto from = static_cast<Vertex>(random_at(1, i) % kVertices);
      const std::uint64_t targets = all_to_few || i % 2 == 1 ? 20 : kVertices;
      edges.emplace_back(from, static_cast<Vertex>(random_at(targets == 20 ? 3 : 2, i) % targets), 1.0);
    }
    const auto world = World::alone();
    const Graph graph = small::build(*world, kVertices, edges, /*directed=*/true);
    std::vector<Rank> owner;
    for (Local v = 0; v < graph.owned(); ++v)
      owner.push_back(
          static_cast<Rank>(random_at(4, static_cast<std::uint64_t>(v)) % static_cast<std::uint64_t>(ranks)));
    constexpr Edge kAllHeavy = 1;
    const auto moved = [&](Cut cut) {
      return static_cast<double>(quality_of(graph, owner, ranks, CutRule(cut, ranks, kAllHeavy)).bytes_per_round());
    };
    CHECK(moved(worthwhile_too) <= kWorthwhile * moved(Cut::edge));
    CHECK(moved(chosen) < moved(worthwhile_too));
    CHECK(choose_cut(graph, owner, ranks, kAllHeavy).cut() == chosen);
  }
}

TEST_CASE("a quality does not depend on the number of threads that count") {
  constexpr Rank kRanks = 6;
  const auto quality = [](Cut cut, int threads) {
    Plan plan;
    plan.threads = threads;
    const auto world = World::alone(plan);
    const Graph graph = Graph::build(*world, generate(*world, "kron:15:8"));
    std::vector<Rank> owner(static_cast<std::size_t>(graph.locals()));
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<Rank>(random_at(4, v) % kRanks);
    return quality_of(graph, owner, kRanks, CutRule(cut, kRanks, /*heavy=*/30));
  };
  for (const Cut cut : {Cut::edge, Cut::cartesian, Cut::hybrid}) {
    const CutQuality one = quality(cut, 1), three = quality(cut, 3);
    CHECK(one.read == three.read);
    CHECK(one.written == three.written);
    CHECK(one.copies == three.copies);
    CHECK(one.edge_imbalance == three.edge_imbalance);
    CHECK(one.vertex_imbalance == three.vertex_imbalance);
    CHECK((one.written > 0) == (cut != Cut::edge));
  }
}
