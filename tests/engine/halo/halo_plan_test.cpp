// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/engine/halo/halo_exchange.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <set>

#include "engine/halo/needs.hpp"
#include "shapes.hpp"

using namespace atl;
using needs::Rows;

TEST_CASE("a plan from row numbers has each needed row once, in the order of owners and rows") {
  for (const Rank ranks : shapes::kRanks)
    for (const std::string& kind : needs::kKinds) {
      CAPTURE(ranks);
      CAPTURE(kind);
      run_ranks(ranks, needs::serial(), [&](World& world) {
        const Rows rows(ranks, kind);
        const Rank me = world.rank();
        const HaloPlan plan(world, rows.owners, rows.list(me));
        const std::vector<Vertex> local = rows.local(me);
        CHECK(plan.first_copy() == static_cast<std::size_t>(rows.owners.size(me)));
        REQUIRE(plan.rows() == local.size());
        for (std::size_t row = 0; row < local.size(); ++row)
          CHECK(plan.local_row(local[row]) == static_cast<Local>(row));
        CHECK(plan.same_both_ways());
        double all = 0;
        std::size_t longest = 0;
        for (Rank a = 0; a < ranks; ++a)
          for (Rank b = 0; b < ranks; ++b) {
            const std::size_t shared = rows.copies(a, b).size();
            all += static_cast<double>(shared);
            longest = std::max(longest, shared);
          }
        CHECK(plan.broadcast().copies_on_all_ranks == all);
        CHECK(plan.broadcast().max_shared_rows == longest);
        for (Rank r = 0; r < ranks; ++r) {
          const auto at = static_cast<std::size_t>(r);
          const std::vector<Vertex> here = rows.copies(me, r), there = rows.copies(r, me);
          const HaloRows &copies = plan.broadcast().copies[at], &owned = plan.broadcast().owned[at];
          REQUIRE(copies.size() == here.size());
          for (std::size_t k = 0; k < here.size(); ++k) CHECK(local[copies.begin() + k] == here[k]);
          REQUIRE(owned.size() == there.size());
          for (std::size_t k = 0; k < there.size(); ++k) CHECK(rows.owners.begin(me) + owned.row(k) == there[k]);
        }
      });
    }
}

TEST_CASE("what no rank can have is refused by all") {
  run_ranks(3, needs::serial(), [](World& world) {
    const Blocks owners = Blocks::even(10, 3);
    for (const Vertex wrong : {Vertex{-1}, Vertex{10}}) {
      const std::vector<Vertex> needed{3, world.rank() == 1 ? wrong : 4};
      CHECK_THROWS_WITH_AS(HaloPlan(world, owners, needed),
                           fmt::format("rank 1 needs row {} (rows are numbered from 0, and there are 10). Name one "
                                       "that exists.",
                                       wrong)
                               .c_str(),
                           InputError);
    }
    CHECK_THROWS_AS(HaloPlan(world, Blocks::even(10, 2), std::vector<Vertex>{}), InputError);
  });
}

TEST_CASE("each row enters a domain once, at every level, and reaches all that need it") {
  for (const char* domains : {"2x2", "3+2", "2+1+3", "2x2x2"})
    for (const std::string& kind : needs::kKinds) {
      CAPTURE(std::string(domains));
      CAPTURE(kind);
      const Hierarchy machine = Hierarchy::parse(domains);
      const Rank ranks = machine.size();
      run_ranks(ranks, needs::serial(domains), [&](World& world) {
        const Rows rows(ranks, kind);
        const HaloPlan plan(world, rows.owners, rows.list(world.rank()));
        const std::vector<Vertex> local = rows.local(world.rank());
        const std::vector<HaloDirection>& stages = plan.broadcast_stages();
        REQUIRE(stages.size() == static_cast<std::size_t>(machine.depth()));
        struct Sent {
          Vertex row;
          Rank from, to;
        };
        std::set<Vertex> here(local.begin(), local.begin() + static_cast<std::ptrdiff_t>(plan.first_copy()));
        std::set<std::size_t> filled;
        for (std::size_t s = 0; s < stages.size(); ++s) {
          const int level = machine.depth() - 1 - static_cast<int>(s);
          std::vector<Sent> sent;
          for (Rank r = 0; r < ranks; ++r) {
            const HaloRows& owned = stages[s].owned[static_cast<std::size_t>(r)];
            for (std::size_t k = 0; k < owned.size(); ++k) {
              const Local row = owned.row(k);
              CHECK(machine.level_between(world.rank(), r) == level);
              CHECK(here.contains(local[static_cast<std::size_t>(row)]));
              sent.push_back({local[static_cast<std::size_t>(row)], world.rank(), r});
            }
          }
          for (Rank r = 0; r < ranks; ++r) {
            const HaloRows& copies = stages[s].copies[static_cast<std::size_t>(r)];
            for (std::size_t k = 0; k < copies.size(); ++k) {
              const Local row = copies.row(k);
              CHECK(filled.insert(static_cast<std::size_t>(row)).second);  // each copy comes once
              here.insert(local[static_cast<std::size_t>(row)]);
            }
          }
          // No two enter the same domain below this level.
          const std::vector<Sent> all = world.all_gather_varying(std::span<const Sent>(sent));
          for (std::size_t a = 0; a < all.size(); ++a)
            for (std::size_t b = a + 1; b < all.size(); ++b)
              if (all[a].row == all[b].row) CHECK(machine.level_between(all[a].to, all[b].to) >= level);
        }
        CHECK(filled.size() == plan.rows() - plan.first_copy());
      });
    }
}

TEST_CASE("all ranks of a domain share the work of passing rows on") {
  run_ranks(8, needs::serial("2x4"), [](World& world) {
    const Blocks owners = Blocks::even(800, 8);
    std::vector<Vertex> all(800);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Vertex>(i);
    const HaloPlan plan(world, owners, all);
    // 400 rows come from the other domain: 100 to each rank of this one, which tells the three others.
    std::size_t received = 0, passed_on = 0;
    for (const HaloRows& rows : plan.broadcast_stages()[0].copies) received += rows.size();
    for (const HaloRows& rows : plan.broadcast_stages()[1].owned) passed_on += rows.size();
    CHECK(received == 100);
    CHECK(passed_on == 3 * (100 + 100));
    // All need everything, so what crosses between two ranks is a block without a list.
    for (const HaloRows& rows : plan.broadcast_stages()[0].owned) CHECK((rows.size() == 0 || rows.is_range()));
    for (const HaloRows& rows : plan.broadcast_stages()[0].copies) CHECK((rows.size() == 0 || rows.is_range()));
  });
}

TEST_CASE("a domain of which one rank lacks a row shares the work as well") {
  run_ranks(8, needs::serial("2x4"), [](World& world) {
    const Blocks owners = Blocks::even(800, 8);
    std::vector<Vertex> most;
    for (Vertex row = 0; row < 800; ++row)
      if (world.rank() % 4 != 1 || row % 100 != 7) most.push_back(row);
    const HaloPlan plan(world, owners, most);
    std::size_t received = 0;
    for (const HaloRows& rows : plan.broadcast_stages()[0].copies) received += rows.size();
    CHECK(received >= 90);
    CHECK(received <= 110);
  });
}

TEST_CASE("a graph's plan has no more than its lists of masters") {
  run_ranks(4, needs::serial(), [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "kron:9"));
    const HaloPlan plan(GraphView::all_of(graph));
    std::size_t most = 0;
    for (const auto& known : graph.mirrors().known_by) {
      for (const std::uint64_t word : known) most += static_cast<std::size_t>(std::popcount(word)) * sizeof(Local);
      most += known.size() * sizeof(std::uint32_t);
    }
    CHECK(plan.memory_bytes() <= most);
    CHECK(plan.rows() == static_cast<std::size_t>(graph.locals()));
  });
}
