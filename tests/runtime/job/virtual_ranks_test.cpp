// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <string>
#include <vector>

#include "runtime/aggregation/exchange.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

VirtualRun run(const std::string& domains, const std::function<void(World&)>& f, Plan plan = {}) {
  const Hierarchy hierarchy = Hierarchy::parse(domains);
  return run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, f);
}

const std::vector<std::string> kShapes{"1", "2", "3", "2x2", "5", "3+2", "7", "2x2x2", "4x4"};

// Records to everyone, whose handler answers.
void talk(World& world) {
  struct Word {
    Rank from;
    std::uint32_t left;
  };
  std::uint64_t handled = 0;
  Mailbox<Word, std::function<void(const Word&)>>* self = nullptr;
  Mailbox box(world, of_records<Word>(std::function<void(const Word&)>([&](const Word& w) {
                ++handled;
                if (w.left > 0) self->send(w.from, {world.rank(), w.left - 1});
              })));
  self = &box;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 40; ++i)
      for (Rank to = 0; to < world.size(); ++to) box.send(to, {world.rank(), 2});
    box.drain();
  }
  const auto p = static_cast<std::uint64_t>(world.size());
  CHECK(world.sum(handled) == 3 * 40 * 3 * p * p);
}

}  // namespace

TEST_CASE("records, collectives and queues work on fibers as on threads") {
  for (const std::string& domains : kShapes)
    for (const int slots : {1, 4}) {
      CAPTURE(domains);
      CAPTURE(slots);
      Plan plan;
      plan.slot_bytes = 256;
      plan.slots_per_peer = slots;
      const VirtualRun r = run(domains, talk, plan);
      // Conservation: what ranks counted as sent equals what the event loop has carried.
      REQUIRE(r.levels.size() == r.counters.levels.size());
      for (std::size_t l = 0; l < r.levels.size(); ++l) {
        CHECK(r.levels[l].messages == r.counters.levels[l].messages);
        CHECK(r.levels[l].bytes == r.counters.levels[l].bytes);
      }
      for (const TimeSpent& t : r.ranks) {
        CHECK(t.compute == 0);
        CHECK(t.seconds() <= r.seconds * (1 + 1e-9));
      }
      if (r.ranks.size() > 1) CHECK(r.seconds > 0);
    }
  run("2x2", [](World& world) { exchange(world, 200, {0, 1, 100, 5000, 100000}); });
}

TEST_CASE("a run is reproducible") {
  const VirtualRun a = run("3+2", talk), b = run("3+2", talk);
  CHECK(a.seconds == b.seconds);
  for (std::size_t r = 0; r < a.ranks.size(); ++r) {
    CHECK(a.ranks[r].stall == b.ranks[r].stall);
    CHECK(a.ranks[r].inter == b.ranks[r].inter);
  }
}

TEST_CASE("collectives of many ranks, whose lengths travel in rounds") {
  for (const std::string domains : {"65", "8x8", "10x10", "128", "3x43"}) {
    if (shapes::kSanitized && domains != "65") continue;
    CAPTURE(domains);
    run(domains, [&](World& world) {
      const Rank p = world.size(), me = world.rank();
      const auto length = [](Rank from, Rank to) {
        return static_cast<std::size_t>(random_at(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)) %
                                        4);
      };
      std::vector<std::vector<Rank>> outgoing(static_cast<std::size_t>(p));
      for (Rank to = 0; to < p; ++to) outgoing[static_cast<std::size_t>(to)].assign(length(me, to), me * 1000 + to);
      const auto incoming = world.exchange(outgoing);
      bool right = true;
      for (Rank from = 0; from < p; ++from)
        right =
            right && incoming[static_cast<std::size_t>(from)] == std::vector<Rank>(length(from, me), from * 1000 + me);
      CHECK(right);

      // Short lists go round by round, long ones directly.
      for (const std::size_t unit : {std::size_t{1}, std::size_t{3000}}) {
        std::vector<Rank> mine(length(me, 7) * unit, me), expected;
        for (Rank r = 0; r < p; ++r) expected.insert(expected.end(), length(r, 7) * unit, r);
        std::vector<Edge> counts;
        CHECK(world.all_gather_varying(std::span<const Rank>(mine), &counts) == expected);
        CHECK(counts[static_cast<std::size_t>(p - 1)] == static_cast<Edge>(length(p - 1, 7) * unit));
      }
    });
  }
}

TEST_CASE("a rank's clock and its waiting time are virtual") {
  run("2", [](World& world) {
    CHECK(world.now() < 1e-3);
    const RankTimer timer(world);
    world.barrier();
    CHECK(timer.seconds() > 1e-7);
    CHECK(timer.seconds() < 1e-4);
    CHECK(world.waited_seconds() <= world.now());
    CHECK(world.team().size() == 1);
  });
}

TEST_CASE("an error of all ranks, of one rank, and ranks that wait for each other") {
  CHECK_THROWS_WITH_AS(run("4", [](World& world) { world.agree(world.rank() != 2, "no"); }), "no", InputError);
  CHECK_THROWS_WITH_AS(run("4",
                           [](World& world) {
                             if (world.rank() == 3) throw IoError("a full disk");
                             world.barrier();
                           }),
                       "a full disk", IoError);
  std::string text;
  try {
    run("2x2", [](World& world) {
      std::byte word[8];
      if (world.rank() == 1) return world.receive(0, world.next_tag(), word);
      world.barrier();
    });
  } catch (const TransportError& e) {
    text = e.what();
  }
  CHECK(text.find("waiting in 'receive': rank 1") != std::string::npos);
  CHECK(text.find("waiting in 'all_gather': rank 0 2 3") != std::string::npos);
}

TEST_CASE("each of a thousand ranks uses little memory") {
  const std::string domains = shapes::kSanitized ? "4x4x8" : "8x8x16";  // a sanitizer's own memory is megabytes a fiber
  const VirtualRun r = run(domains, [](World& world) {
    std::vector<std::vector<int>> outgoing(static_cast<std::size_t>(world.size()));
    for (auto& list : outgoing) list.push_back(world.rank());
    CHECK(world.exchange(std::move(outgoing)).back().size() == 1);
  });
  CHECK(r.memory_bytes / r.ranks.size() < 256 << 10);
}
