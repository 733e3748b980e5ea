// SPDX-License-Identifier: Apache-2.0
// Virtual time of what ranks do with records: copying, appending, merging and handling, on every route.
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <nlohmann/json.hpp>
#include <string>

using namespace atl;

namespace {

constexpr RecordCosts kCosts{
    .copied_byte_s = 1e-9, .appended_record_s = 30e-9, .merged_record_s = 20e-9, .handled_record_s = 70e-9};
constexpr int kToEach = 50;

struct ChargedRecord {
  std::uint32_t key, value;
};

Machine machine_with(const RecordCosts& costs, int depth) {
  Machine machine = Cost::paper(depth);
  machine.records = costs;
  return machine;
}

// Every rank sends kToEach records to every rank.
VirtualRun run_charged(const std::string& domains, const std::string& route, const RecordCosts& costs,
                       double compute_scale = 0) {
  const Hierarchy hierarchy = Hierarchy::parse(domains);
  Plan plan;
  plan.route = route;
  plan.compute_scale = compute_scale;
  return run_virtual(hierarchy, machine_with(costs, hierarchy.depth()), plan, [](World& world) {
    std::uint64_t handled = 0;
    Mailbox box(world, of_records<ChargedRecord>([&](const ChargedRecord&) { ++handled; }), {.handler_sends = false});
    for (int i = 0; i < kToEach; ++i)
      for (Rank to = 0; to < world.size(); ++to) box.send(to, {0, 0});
    box.drain();
    CHECK(handled == static_cast<std::uint64_t>(kToEach) * static_cast<std::uint64_t>(world.size()));
  });
}

// How often the records of that exchange are put into a send buffer: once for each hop, and once for the own rank.
double appends(const Hierarchy& h, const std::string& name) {
  const Route route(name, h);
  double sum = 0;
  for (Rank from = 0; from < h.size(); ++from)
    for (Rank to = 0; to < h.size(); ++to) {
      Route::Hop at{from, Route::Phase::up};
      int hops = 0;
      for (; at.rank != to; ++hops) at = route.next(at.rank, to, at.phase);
      sum += kToEach * std::max(1, hops);
    }
  return sum;
}

}  // namespace

TEST_CASE("each record is appended once a hop and handled once, and takes the machine's time for it") {
  for (const std::string domains : {"1", "3", "2x2", "3+2", "2x2x2"})
    for (const std::string& route : Route::all_names()) {
      CAPTURE(domains);
      CAPTURE(route);
      const Hierarchy h = Hierarchy::parse(domains);
      const VirtualRun run = run_charged(domains, route, kCosts);
      const TimeSpent& time = run.counters.time;
      const double records = static_cast<double>(kToEach) * h.size() * h.size();
      CHECK(time.handling / kCosts.handled_record_s == doctest::Approx(records));
      CHECK(time.appending / kCosts.appended_record_s == doctest::Approx(appends(h, route)));
      CHECK(time.merging == 0);
      CHECK(time.compute == 0);
      // Each byte that was sent has been copied into a slot; on routes of several hops, and for the own rank, into a
      // buffer before.
      double sent = 0;
      for (const LevelCount& level : run.counters.levels) sent += static_cast<double>(level.bytes);
      CHECK(time.copying >= sent * kCosts.copied_byte_s * (1 - 1e-9));
      CHECK(run.seconds >= time.of_records() / h.size());
      const auto parts = run.to_json().at("rank_seconds");
      CHECK(parts.at("handling").get<double>() > 0);
      for (const TimeSpent& rank : run.ranks) CHECK(rank.seconds() <= run.seconds * (1 + 1e-9));
    }
}

TEST_CASE("records cost nothing unless the machine says so, and then nobody lists what they cost") {
  for (const std::string route : {"direct", "domain"}) {
    CAPTURE(route);
    const VirtualRun free = run_charged("2x2", route, {}), costly = run_charged("2x2", route, kCosts);
    CHECK(free.counters.time.of_records() == 0);
    CHECK(free.to_json().at("rank_seconds").size() == 4);
    CHECK(free.seconds < costly.seconds);
    CHECK(free.counters.records == costly.counters.records);
  }
}

TEST_CASE("records that may merge are looked up in their send buffers, on routes that have some") {
  for (const auto& [route, merges] : {std::pair{"direct", false}, {"aml", false}, {"row", true}, {"domain", true}}) {
    CAPTURE(route);
    Plan plan;
    plan.route = route;
    const VirtualRun run = run_virtual(Hierarchy::parse("2x2"), machine_with(kCosts, 2), plan, [](World& world) {
      Mailbox box(
          world,
          of_records<ChargedRecord>([](const ChargedRecord&) {},
                                    Merge{[](const ChargedRecord& r) { return r.key; },
                                          [](ChargedRecord& a, const ChargedRecord& b) { a.value += b.value; }}),
          {.handler_sends = false});
      for (std::uint32_t i = 0; i < kToEach; ++i)
        for (Rank to = 0; to < world.size(); ++to) box.send(to, {i % 10, 1});
      box.drain();
    });
    const TimeSpent& time = run.counters.time;
    CHECK((time.merging > 0) == merges);
    // All records of all ranks are looked up at least once, and few of them are left to be handled.
    constexpr double kRecords = kToEach * 4 * 4;
    if (merges) CHECK(time.merging >= kRecords * kCosts.merged_record_s * (1 - 1e-9));
    if (merges) CHECK(time.handling < 0.7 * kRecords * kCosts.handled_record_s);
  }
}

TEST_CASE("where computation takes its processor time, records are part of it") {
  const VirtualRun run = run_charged("2x2", "domain", kCosts, /*compute_scale=*/1);
  CHECK(run.counters.time.compute > 0);
  CHECK(run.counters.time.of_records() == 0);
  CHECK_THROWS_AS(Plan::from_json(nlohmann::json{{"compute_scale", -1}}), InputError);
}
