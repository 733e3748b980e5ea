// SPDX-License-Identifier: Apache-2.0
// Mailboxes over routes of several hops: the guarantees of the direct one, and merging of records on the way.
#include <doctest/doctest.h>

#include <atoll/runtime/aggregation/mailbox.hpp>
#include <functional>
#include <map>
#include <string>

#include "records.hpp"
#include "shapes.hpp"

using namespace atl;
using namespace records;

namespace {

// 1, 2, 3, 4, 5, 7, 8 and 16 ranks; unequal domains, domains of one rank, two and three levels of domains.
constexpr const char* kMachines[] = {"1", "2x1", "1+2", "2x2", "3+2", "1+4+2", "2x2x2", "2x4x2", "4x4"};

// Calls f(plan) for every route on every machine, with buffers from the smallest on; under sanitizers with two of them.
template <class F>
void on_every_route(F&& f) {
  for (const char* domains : kMachines)
    for (const std::string& route : Route::all_names())
      for (auto [name, plan] : shapes::buffers()) {
        if (shapes::kSanitized && plan.slots_per_peer != 1) continue;
        plan.domains = domains;
        plan.route = route;
        plan.timeout_seconds = 120;
        CAPTURE(domains);
        CAPTURE(route);
        CAPTURE(name);
        f(plan, Hierarchy::parse(domains).size());
      }
}

}  // namespace

TEST_CASE("each record arrives exactly once on every route, whatever the domains, buffers and order of delivery") {
  on_every_route([](Plan plan, Rank ranks) {
    for (const int threads : {1, 3}) {
      if (threads > 1 && ranks > 3) continue;
      plan.threads = threads;
      run_ranks(ranks, plan, [&](World& world) {
        const std::size_t n = shapes::kSanitized ? 60 : 300;
        check_exactly_once<2>(world, n, Sending::mixed, {});
        check_exactly_once<3>(world, n, Sending::scalar, {.handling = Handling::serial, .handler_sends = false});
      });
    }
  });
}

TEST_CASE("bulk sending over several hops works with and without vector instructions") {
  for (const char* domains : {"2x2", "3+2", "8x8"})
    for (const std::string& route : Route::all_names()) {
      Plan plan;
      plan.threads = 1;
      plan.domains = domains;
      plan.route = route;
      plan.slot_bytes = 16384;
      plan.timeout_seconds = 120;
      CAPTURE(domains);
      CAPTURE(route);
      const Rank ranks = Hierarchy::parse(domains).size();
      run_ranks(ranks, plan, [&](World& world) {
        // Among 64 ranks a slot is never full, so fewer records exercise the same path.
        const std::size_t n = (ranks > 8 ? 1500 : 12000) / (!shapes::kSanitized ? 1 : ranks > 8 ? 3 : 8);
        check_exactly_once<1>(world, n, Sending::bulk, {.handler_sends = false});
        check_exactly_once<2>(world, n, Sending::bulk, {});
        check_exactly_once<4>(world, n, Sending::bulk, {});
      });
    }
}

TEST_CASE("handlers may send over every route: chains run to their end inside one drain") {
  on_every_route([](Plan plan, Rank ranks) {
    plan.threads = 1;
    run_ranks(ranks, plan, [&](World& world) {
      struct Hop {
        std::uint32_t left, salt;
      };
      constexpr std::uint32_t kHops = 20, kChains = 8;
      std::uint64_t hops = 0;
      Mailbox<Hop, std::function<void(const Hop&)>>* self = nullptr;
      Mailbox<Hop, std::function<void(const Hop&)>> box(
          world, {[&](const Hop& h) {
            ++hops;
            if (h.left > 0)
              self->send(static_cast<Rank>(mix64(h.salt + h.left) % static_cast<std::uint64_t>(world.size())),
                         {h.left - 1, h.salt});
          }});
      self = &box;
      for (std::uint64_t round = 1; round <= 2; ++round) {
        for (std::uint32_t c = 0; c < kChains; ++c) box.send(static_cast<Rank>(c) % world.size(), {kHops, c});
        box.drain();
        CHECK(world.sum(hops) == round * (kHops + 1) * kChains * static_cast<std::uint64_t>(world.size()));
      }
    });
  });
}

TEST_CASE("a flood from all ranks to one completes through one monitor with one slot") {
  for (const std::string& route : Route::all_names())
    for (const std::string& monitors : monitor_names()) {
      if (!route.starts_with("domain") && monitors != "spread") continue;  // the others have no monitors, or one
      Plan plan;
      plan.threads = 1;
      plan.domains = "4x4";
      plan.route = route;
      plan.monitors = monitors;
      plan.slot_bytes = 128;
      plan.slots_per_peer = 1;
      plan.timeout_seconds = 120;
      CAPTURE(route);
      run_ranks(16, plan, [&](World& world) {
        world.prefer_monitors(world.rank() * 5 % 7);
        const std::uint64_t n = shapes::kSanitized ? 200 : 2000;
        std::uint64_t got = 0;
        Mailbox box(world, of_records<std::uint64_t>([&](std::span<const std::uint64_t> run) { got += run.size(); }),
                    {.handler_sends = false});
        for (std::uint64_t i = 0; i < n; ++i) box.send(15, i);
        box.drain();
        CHECK(got == (world.rank() == 15 ? 16 * n : 0));
      });
    }
}

namespace {

struct Label {
  std::uint32_t vertex;
  std::uint32_t value;
};

// Everyone sends values for few vertices of each rank; `unite` combines values on arrival and on the way.
template <class Unite>
void check_merging(World& world, Unite unite, std::uint32_t begin) {
  constexpr std::uint32_t kVertices = 10, kRecords = 3000;
  std::map<std::uint32_t, std::uint32_t> result;
  Mailbox box(
      world,
      of_records<Label>(
          [&](const Label& l) { result[l.vertex] = unite(result.try_emplace(l.vertex, begin).first->second, l.value); },
          Merge{[](const Label& l) { return l.vertex; },
                [&](Label& into, const Label& l) { into.value = unite(into.value, l.value); }}),
      {.handler_sends = false});
  const auto record = [](Rank from, std::uint32_t i) {
    return Label{static_cast<std::uint32_t>(mix64(i) % kVertices),
                 static_cast<std::uint32_t>(1000 + random_at(static_cast<std::uint64_t>(from), i) % 1000)};
  };
  const auto target = [&](std::uint32_t i) { return static_cast<Rank>(i % static_cast<std::uint32_t>(world.size())); };
  const std::uint64_t before = world.counters().levels.back().merged_bytes;
  for (std::uint32_t i = 0; i < kRecords; ++i) box.send(target(i), record(world.rank(), i));
  box.drain();
  std::map<std::uint32_t, std::uint32_t> expected;
  for (Rank from = 0; from < world.size(); ++from)
    for (std::uint32_t i = 0; i < kRecords; ++i)
      if (target(i) == world.rank()) {
        const Label l = record(from, i);
        expected[l.vertex] = unite(expected.try_emplace(l.vertex, begin).first->second, l.value);
      }
  CHECK(result == expected);
  const bool several_hops = !world.route().is_direct();
  const std::uint64_t merged = world.sum(world.counters().levels.back().merged_bytes - before);
  CHECK((merged > 0) ==
        (several_hops && world.hierarchy().depth() > 1 && world.plan().lane_bytes > 0 && world.savings().merging));
}

}  // namespace

TEST_CASE("records of one vertex merge on their way: min and sum are unchanged, and fewer bytes cross") {
  for (const char* domains : {"2x2", "3+2", "2x2x2"})
    for (const std::string& route : Route::all_names())
      for (const std::size_t slot : {std::size_t{512}, std::size_t{65536}}) {
        Plan plan;
        plan.threads = 1;
        plan.domains = domains;
        plan.route = route;
        plan.slot_bytes = slot;
        plan.timeout_seconds = 120;
        CAPTURE(domains);
        CAPTURE(route);
        CAPTURE(slot);
        run_ranks(Hierarchy::parse(domains).size(), plan, [](World& world) {
          check_merging(world, [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); }, UINT32_MAX);
          check_merging(world, [](std::uint32_t a, std::uint32_t b) { return a + b; }, 0);
        });
      }
}

TEST_CASE("with lane_bytes 0 or without merging nothing merges, and the results are the same") {
  const auto check_without = [](const char* route, Plan plan) {
    plan.threads = 1;
    plan.domains = "3+2";
    plan.route = route;
    plan.timeout_seconds = 120;
    CAPTURE(route);
    run_ranks(5, plan, [](World& world) {
      CHECK(!(world.savings().merging && world.plan().lane_bytes > 0));
      check_merging(world, [](std::uint32_t a, std::uint32_t b) { return a + b; }, 0);
    });
  };
  for (const char* route : {"aml-levels", "row", "mst-levels", "domain"}) {
    check_without(route, {.lane_bytes = 0});
    check_without(route, {.without = "merging"});
  }
  for (const char* route : {"aml", "mst"}) check_without(route, {});
}

TEST_CASE("between two domains as many messages cross as there are pairs of domains, where one message holds all") {
  for (const char* route : {"domain", "mst-levels"}) {
    Plan plan;
    plan.threads = 1;
    plan.domains = "4x8";
    plan.route = route;
    plan.slot_bytes = 65536;
    CAPTURE(route);
    run_ranks(32, plan, [](World& world) {
      std::uint64_t got = 0;
      Mailbox box(world, of_records<std::uint64_t>([&](const std::uint64_t&) { ++got; }), {.handler_sends = false});
      world.barrier();
      const std::uint64_t before = world.counters().levels[1].messages;
      for (Rank to = 0; to < world.size(); ++to) box.send(to, 1);
      box.drain();
      const std::uint64_t mine = world.counters().levels[1].messages - before;
      CHECK(got == 32);
      // 4 domains send to 3 others each; the votes at the ends of rounds cross as well: Bruck's five messages per rank.
      constexpr std::uint64_t kVotes = 5 * 32 * 5;
      CHECK(world.sum(mine) <= 4 * 3 + kVotes);
    });
  }
}

TEST_CASE("with single or switched buffers each record arrives exactly once too") {
  for (const char* buffers : {"single", "switched"})
    for (const char* domains : {"3+2", "2x2x2"})
      for (const std::string& route : Route::all_names())
        for (const int slots : {1, 2}) {
          Plan plan;
          plan.threads = 1;
          plan.domains = domains;
          plan.route = route;
          plan.buffers = buffers;
          plan.slot_bytes = 256;
          plan.slots_per_peer = slots;
          plan.timeout_seconds = 120;
          CAPTURE(buffers);
          CAPTURE(domains);
          CAPTURE(route);
          run_ranks(Hierarchy::parse(domains).size(), plan, [](World& world) {
            const std::size_t n = shapes::kSanitized ? 60 : 300;
            check_exactly_once<2>(world, n, Sending::mixed, {});
            check_exactly_once<3>(world, n, Sending::scalar, {.handler_sends = false});
          });
        }
}

TEST_CASE("a small budget throttles producers and monitors: all records arrive, and memory stays near the budget") {
  constexpr std::size_t kBudget = 64 << 10;
  for (const std::string& route : Route::all_names())
    for (const bool handler_sends : {false, true}) {
      if (route == "direct") continue;  // its memory belongs to the fabric
      Plan plan;
      plan.threads = 1;
      plan.domains = "2x2x2";
      plan.route = route;
      plan.slot_bytes = 128;
      plan.slots_per_peer = 1;
      plan.ring_bytes = 1024;  // the messages "stop" and "continue" travel in rings, which count too
      plan.budget_bytes = kBudget;
      plan.timeout_seconds = 120;
      CAPTURE(route);
      CAPTURE(handler_sends);
      run_ranks(8, plan, [&](World& world) {
        const std::uint64_t n = shapes::kSanitized ? 2000 : 20000;
        std::uint64_t got = 0;
        const std::uint64_t before = world.counters().memory_bytes;
        Mailbox box(world, of_records<std::uint64_t>([&](std::span<const std::uint64_t> run) { got += run.size(); }),
                    {.handler_sends = handler_sends});
        // The last rank is slow: it begins to poll when the others have sent most of their records.
        for (std::uint64_t i = 0; i < n; ++i) box.send(i % 16 == 0 ? static_cast<Rank>(i / 16 % 8) : 7, i);
        box.drain();
        const std::uint64_t elsewhere = 8 * ((n / 16 + 7) / 8);
        CHECK(got <= (world.rank() == 7 ? 8 * n : elsewhere));
        CHECK(world.sum(got) == 8 * n);
        // Beyond the budget a rank receives what was in flight when it sent "stop": a slot per peer, and what it is
        // processing.
        CHECK(world.counters().memory_bytes - before <= 2 * kBudget);
      });
    }
}

TEST_CASE("exchanges follow each other without a vote: a rank that is ahead waits, and rounds do not mix") {
  for (const char* route : {"domain", "mst-levels"})
    for (const std::uint64_t seed : {0, 1, 2}) {
      Plan plan;
      plan.threads = 1;
      plan.domains = "1+4+2";
      plan.route = route;
      plan.slot_bytes = 256;
      plan.shuffle_seed = seed;
      plan.timeout_seconds = 120;
      CAPTURE(route);
      CAPTURE(seed);
      run_ranks(7, plan, [&](World& world) {
        std::uint64_t round = 0, got = 0;
        Mailbox box(world, of_records<std::uint64_t>([&](std::span<const std::uint64_t> run) {
                      for (const std::uint64_t r : run) {
                        if (r != round) FAIL_CHECK("a record of round " << r << " in round " << round);
                        ++got;
                      }
                    }),
                    {.handler_sends = false});
        std::uint64_t expected = 0;
        const std::uint64_t rounds = shapes::kSanitized ? 20 : 100;
        for (round = 0; round < rounds; ++round) {
          const auto count = [&](Rank from, Rank to) {
            return mix64(static_cast<std::uint64_t>(from * 7 + to) + round * 49) % (round % 3 == 0 ? 2 : 90);
          };
          for (Rank to = 0; to < 7; ++to)
            for (std::uint64_t i = 0; i < count(world.rank(), to); ++i) box.send(to, round);
          for (Rank from = 0; from < 7; ++from) expected += count(from, world.rank());
          box.drain();
          CHECK(got == expected);
        }
      });
    }
}
