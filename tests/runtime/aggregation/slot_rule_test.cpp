// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/routes/slot_rule.hpp>

#include "shapes.hpp"

using namespace atl;

TEST_CASE("few hops have long slots, and the slots in flight fill a link for twice its latency") {
  const SlotRule rule{.bytes = 1024, .per_peer = 4, .longest = 256 << 10};
  CHECK(rule.bytes_for(1) == 256 << 10);
  CHECK(rule.bytes_for(1e6) == 4 << 10);
  const std::vector<LevelCost> costs = Cost::paper(3).levels();
  for (const double hops : {0.0, 1.0, 5.0, 18.0, 100.0, 1000.0}) {
    CAPTURE(hops);
    const std::size_t bytes = rule.bytes_for(hops);
    CHECK(bytes >= rule.bytes_for(hops + 1));
    CHECK(bytes % 64 == 0);
    for (int level = 0; level < 3; ++level) {
      const int slots = rule.per_peer_for(bytes, costs, level);
      CHECK(slots >= 4);
      CHECK((slots == 64 || static_cast<double>(slots) * static_cast<double>(bytes) >=
                                2 * costs[level].latency_s * costs[0].bytes_per_second));
    }
  }
}

TEST_CASE("a slot length that is given, fabrics whose slots are all alike, and fixed buffers have one rule") {
  const std::vector<LevelCost> costs = Cost::paper(3).levels();
  const SlotRule alike{.bytes = 65536, .per_peer = 4, .longest = 65536};
  CHECK(alike.bytes_for(3) == 65536);
  CHECK(alike.per_peer_for(65536, costs, 2) == 4);
  const SlotRule fixed{.bytes = 1024, .per_peer = 1, .longest = 65536, .expands = false};
  CHECK(fixed.bytes_for(1) == 65536);
  CHECK(fixed.per_peer_for(4096, costs, 2) == 1);
  Plan plan;
  plan.slot_bytes = 512;
  CHECK(plan.longest_slot_bytes() == 512);
}

TEST_CASE("4,096 virtual ranks that all send to all take less than 2 MB each") {
  if (shapes::kSanitized) return;
  for (const std::string route : {"aml", "domain"}) {
    CAPTURE(route);
    const Hierarchy hierarchy = Hierarchy::parse("16x16x16");
    Plan plan;
    plan.route = route;
    std::uint64_t got = 0, most = 0;
    const VirtualRun run = run_virtual(hierarchy, Cost::paper(3), plan, [&](World& world) {
      Mailbox box(world, of_records<std::uint64_t>([&](const std::uint64_t&) { ++got; }), {.handler_sends = false});
      for (Rank to = 0; to < world.size(); ++to) box.send(to, 1);
      box.drain();
      most = std::max(most, world.counters().memory_bytes);
    });
    CHECK(got == 4096 * 4096);
    CHECK(most < 2'000'000);
    CHECK(run.memory_bytes < std::size_t{4096} * 2'000'000);
  }
}
