// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/measure_links.hpp>
#include <atoll/topology/measured_costs.hpp>
#include <numeric>

#include "../shapes.hpp"

using namespace atl;

namespace {

const std::vector<LevelCost> kMachine{{1e-6, 10e9, 0.2e-6}, {3e-6, 10e9, 0.2e-6}, {20e-6, 5e9, 0.2e-6}};

// Nodes of two ranks, four nodes to a switch, the ranks in any order.
Hierarchy shuffled(int ranks, std::uint64_t seed) {
  std::vector<Rank> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  std::ranges::shuffle(order, random);
  Domain root{.kind = "system", .name = {}, .children = {}, .ranks = {}};
  for (std::size_t at = 0; at < order.size(); at += 8) {
    Domain group{.kind = "switch", .name = {}, .children = {}, .ranks = {}};
    for (std::size_t leaf = at; leaf < at + 8; leaf += 2)
      group.children.push_back({.kind = "node", .name = {}, .children = {}, .ranks = {order[leaf], order[leaf + 1]}});
    root.children.push_back(std::move(group));
  }
  return Hierarchy(std::move(root));
}

void check_found(const LinkCosts& links, const Hierarchy& truth) {
  const Hierarchy found = cluster(links.latency_s, clustering_thresholds(links.latency_s));
  REQUIRE(found.depth() == truth.depth());
  const auto n = static_cast<std::size_t>(truth.size());
  for (Rank a = 0; a < truth.size(); ++a)
    for (Rank b = 0; b < truth.size(); ++b) {
      const int level = truth.level_between(a, b);
      CHECK(found.level_between(a, b) == level);
      const double latency_s = links.latency_s[static_cast<std::size_t>(a) * n + static_cast<std::size_t>(b)];
      const LevelCost& cost = kMachine[static_cast<std::size_t>(level)];
      if (a != b) CHECK(latency_s == doctest::Approx(cost.latency_s + cost.overhead_s).epsilon(0.2));
    }
}

}  // namespace

TEST_CASE("all pairs meet once: latencies and domains of a machine in virtual time") {
  for (const char* domains : {"2", "3", "2x2", "1+4", "2x2x2", "2x4", "5"}) {
    CAPTURE(domains);
    const Hierarchy truth = Hierarchy::parse(domains);
    const Rank n = truth.size();
    run_virtual(truth, kMachine, {}, [&](World& world) {
      const LinkCosts links = measure_links(world);
      CHECK(links.ranks == n);
      CHECK(links.rounds == (n % 2 == 0 ? n - 1 : n));
      CHECK(links.latency_s.empty() == (world.rank() != 0));
      if (world.rank() != 0) return;
      CHECK(links.measured == n * (n - 1) / 2);
      check_found(links, truth);
      // Pairs that measure at the same time share the links between domains, so that a byte may take longer.
      for (const double byte_s : links.byte_s) CHECK((byte_s == 0 || byte_s > 0.9 / 10e9));
      CHECK(links.seconds(1 << 20)[1] == doctest::Approx(links.latency_s[1] + links.byte_s[1] * (1 << 20)));
    });
  }
}

TEST_CASE("some pairs are enough to find the domains of many ranks, whatever their order") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const Hierarchy truth = shuffled(64, seed);
    run_virtual(truth, kMachine, {}, [&](World& world) {
      const LinkCosts links = measure_links(world, {.all_pairs_up_to = 16, .sampled_rounds = 16, .seed = seed});
      if (world.rank() != 0) return;
      CHECK(links.measured < 64 * 63 / 2);
      check_found(links, truth);
    });
  }
}

TEST_CASE("real ranks, with few and small buffers") {
  for (const shapes::Shape& shape : shapes::buffers())
    for (const Rank ranks : shapes::kRanks) {
      if (ranks == 1) continue;
      CAPTURE(shape.name);
      CAPTURE(ranks);
      run_ranks(ranks, shape.plan, [&](World& world) {
        const LinkCosts links = measure_links(world, {.all_pairs_up_to = 4});
        if (world.rank() != 0) return;
        // The fabric has all of them on one node.
        CHECK(links.measured == ranks * (ranks - 1) / 2);
        for (std::size_t i = 0; i < links.latency_s.size(); ++i)
          CHECK((links.latency_s[i] > 0) == (i % static_cast<std::size_t>(ranks + 1) != 0));
      });
    }
}

TEST_CASE("one rank has no links, and a rank that fails ends the measurement") {
  CHECK_THROWS_AS(run_ranks(1, {}, [](World& world) { measure_links(world); }), InputError);
  CHECK_THROWS_WITH_AS(run_ranks(4, {},
                                 [](World& world) {
                                   if (world.rank() == 2) throw InputError("rank 2 has enough");
                                   measure_links(world);
                                 }),
                       "rank 2 has enough", InputError);
}
