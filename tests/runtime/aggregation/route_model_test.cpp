// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <map>
#include <string>

#include "shapes.hpp"

using namespace atl;

namespace {

struct RoutedLabel {
  std::uint32_t key, value;
};
struct KeyOf {
  std::uint32_t operator()(const RoutedLabel& l) const { return l.key; }
};
struct KeepFirst {
  void operator()(RoutedLabel&, const RoutedLabel&) const {}
};

// Seconds in virtual time of an exchange of this many random records per rank, and of the following agreement.
double simulated(const Hierarchy& hierarchy, const std::string& route, int records, std::uint32_t keys,
                 const RecordCosts& costs = {}) {
  Plan plan;
  plan.route = route;
  double seconds = 0;
  Machine machine = Cost::paper(hierarchy.depth());
  machine.records = costs;
  run_virtual(hierarchy, machine, plan, [&](World& world) {
    Mailbox box(world, of_records<RoutedLabel>([](const RoutedLabel&) {}, Merge{KeyOf{}, KeepFirst{}}),
                {.handling = Handling::parallel, .handler_sends = false});
    box.drain();
    world.barrier();
    const double begin = world.now();
    constexpr int kTimes = 3;
    for (int time = 0; time < kTimes; ++time) {
      for (int i = 0; i < records; ++i) {
        const std::uint64_t x = random_at(static_cast<std::uint64_t>(world.rank() + 1000 * time), i);
        box.send(static_cast<Rank>(x % static_cast<std::uint64_t>(world.size())),
                 {static_cast<std::uint32_t>((x >> 32) % keys), 0});
      }
      box.drain();
      world.barrier();
    }
    if (world.rank() == 0) seconds = (world.now() - begin) / kTimes;
  });
  return seconds;
}

RouteModel model_of(const Hierarchy& hierarchy) {
  const Plan plan;
  return {hierarchy,
          Cost::paper(hierarchy.depth()).levels(),
          {plan.slot_bytes_for(hierarchy.size()), plan.slots_per_peer, plan.longest_slot_bytes()}};
}

}  // namespace

TEST_CASE("the model chooses a route that is among the fastest, and its times are near those of the clock") {
  for (const std::string shape : {"2x2", "4x4", "2x2x4", "4x4x4", "3+5"})
    for (const int records : {0, 1, 30, 1000, 5000})
      for (const std::uint32_t keys : {200U, 1U << 30}) {
        if (shapes::kSanitized && shape == "4x4x4") continue;
        CAPTURE(shape);
        CAPTURE(records);
        CAPTURE(keys);
        const Hierarchy hierarchy = Hierarchy::parse(shape);
        const RouteModel model = model_of(hierarchy);
        const Exchange exchange{.records = static_cast<double>(records) * hierarchy.size(),
                                .record_bytes = sizeof(RoutedLabel),
                                .keys = static_cast<double>(keys)};
        std::map<std::string, double> seconds;
        double least = 1;
        for (const std::string& route : Route::all_names()) {
          CAPTURE(route);
          seconds[route] = simulated(hierarchy, route, records, keys);
          least = std::min(least, seconds[route]);
          CHECK(model.seconds(route, exchange) < 1.4 * seconds[route]);
          CHECK(model.seconds(route, exchange) > seconds[route] / 1.4);
        }
        CHECK(seconds[std::string(model.best(exchange))] <= 1.1 * least);
      }
}

TEST_CASE("a choice for two exchanges loses no more than it says, and nothing where one route is best for both") {
  for (const std::string shape : {"2x2", "2x2x4", "4x8x8", "8x8x16"}) {
    CAPTURE(shape);
    const RouteModel model = model_of(Hierarchy::parse(shape));
    for (const double records : {0.0, 1e3, 1e5, 1e7}) {
      CAPTURE(records);
      const Exchange least{.keys = 100}, most{.records = records, .keys = 100};
      const RouteModel::Choice choice = model.best_of_both(least, most);
      for (const Exchange& e : {least, most})
        CHECK(model.seconds(choice.route, e) <= model.seconds(model.best(e), e) + choice.loss_seconds);
      if (model.best(least) == model.best(most)) CHECK(choice.loss_seconds == 0);
    }
  }
}

TEST_CASE(
    "hops are closed where that is cheaper than barriers and a vote, and an agreement on the way saves its vote") {
  const RouteModel model = model_of(Hierarchy::parse("8x8x16"));
  const std::vector<int> levels{2, 1, 0};
  CHECK(model.closing_pays(levels, 30));
  CHECK(!model.closing_pays(levels, 10000));
  for (const std::string& route : Route::all_names()) {
    CAPTURE(route);
    const double apart = model.seconds(route, {.records = 1000}),
                 on_the_way = model.seconds(route, {.records = 1000, .agrees_apart = false});
    const bool votes = route == "direct" || route == "aml" || route == "mst";
    if (votes) CHECK(on_the_way == apart);
    if (!votes) CHECK(apart - on_the_way == doctest::Approx(model.vote_seconds(/*over_tree=*/true)));
  }
}

TEST_CASE("the processor's time for records, and a card's message rate, make an exchange longer on every route") {
  constexpr RecordCosts kRecordCosts{
      .copied_byte_s = 1e-10, .appended_record_s = 20e-9, .merged_record_s = 10e-9, .handled_record_s = 30e-9};
  const Plan plan;
  for (const std::string shape : {"4", "2x2", "4x4", "2x2x4"}) {
    CAPTURE(shape);
    const Hierarchy hierarchy = Hierarchy::parse(shape);
    const SlotRule slots{plan.slot_bytes_for(hierarchy.size()), plan.slots_per_peer, plan.longest_slot_bytes()};
    std::vector<LevelCost> costs = Cost::paper(hierarchy.depth()).levels(), limited = costs;
    for (LevelCost& level : limited) level.messages_per_second = 1e5;
    const RouteModel free(hierarchy, costs, slots), slow(hierarchy, limited, slots);
    const RouteModel costly(hierarchy, costs, slots, {}, kRecordCosts);
    constexpr double kOfRank = 50'000;
    const Exchange exchange{.records = kOfRank * hierarchy.size(), .record_bytes = 8};
    for (const std::string& route : Route::all_names()) {
      CAPTURE(route);
      const double added = costly.seconds(route, exchange) - free.seconds(route, exchange);
      const double least = kOfRank * (kRecordCosts.appended_record_s + kRecordCosts.handled_record_s);
      CHECK(added > least);
      if (route == "direct") CHECK(added / (least + kOfRank * 8 * kRecordCosts.copied_byte_s) == doctest::Approx(1));
      CHECK(costly.estimate(route, exchange).top_bytes == free.estimate(route, exchange).top_bytes);
      // Few records: a message to each next rank, whose number the card's rate holds up.
      const Exchange thin{.records = 100.0 * hierarchy.size(), .record_bytes = 8};
      CHECK(slow.seconds(route, thin) > free.seconds(route, thin) + 0.5e-5);
    }
  }
}

TEST_CASE("times of the model are near those of the clock where records take the processor's time") {
  constexpr RecordCosts kRecordCosts{
      .copied_byte_s = 1e-10, .appended_record_s = 20e-9, .merged_record_s = 10e-9, .handled_record_s = 30e-9};
  const Plan plan;
  constexpr int kRecords = 5000;
  for (const std::string shape : {"2x2", "2x2x4"}) {
    if (shapes::kSanitized && shape == "2x2x4") continue;
    CAPTURE(shape);
    const Hierarchy hierarchy = Hierarchy::parse(shape);
    const RouteModel model(hierarchy, Cost::paper(hierarchy.depth()).levels(),
                           {plan.slot_bytes_for(hierarchy.size()), plan.slots_per_peer, plan.longest_slot_bytes()}, {},
                           kRecordCosts);
    const Exchange exchange{.records = static_cast<double>(kRecords) * hierarchy.size(),
                            .record_bytes = sizeof(RoutedLabel),
                            .keys = 1U << 30};
    for (const std::string& route : Route::all_names()) {
      CAPTURE(route);
      const double seconds = simulated(hierarchy, route, kRecords, 1U << 30, kRecordCosts);
      CHECK(model.seconds(route, exchange) < 1.6 * seconds);
      CHECK(model.seconds(route, exchange) > seconds / 1.6);
    }
  }
}

TEST_CASE("a vote takes one all-gather for at most 64 ranks, and a tree up and down for more") {
  const auto vote = [](const std::string& machine, double latency_above) {
    const std::vector<LevelCost> costs{{.latency_s = 1}, {.latency_s = latency_above}};
    return RouteModel(Hierarchy::parse(machine), costs, {1024, 4}).vote_seconds(/*over_tree=*/false);
  };
  CHECK(vote("2", 0) == 1);
  CHECK(vote("64", 0) == 6);
  CHECK(vote("65", 0) == 2 * 7);
  CHECK(vote("128", 0) == 2 * 7);
  CHECK(vote("4x4", 10) == 2 * 1 + 2 * 10 + (10 - 1));  // a step inside a domain may cross its boundary at the end
  CHECK(vote("4x32", 10) == 2 * (5 * 1 + 2 * 10));
}

TEST_CASE("the predicted cost of a vote of more than 64 ranks is near that of the simulator") {
  for (const std::string machine : {"80", "3x40"}) {
    CAPTURE(machine);
    const Hierarchy hierarchy = Hierarchy::parse(machine);
    double seconds = 0;
    run_virtual(hierarchy, Cost::paper(hierarchy.depth()), Plan{}, [&](World& world) {
      world.barrier();
      const double begin = world.now();
      constexpr int kTimes = 4;
      for (int i = 0; i < kTimes; ++i) world.any(false);
      if (world.rank() == 0) seconds = (world.now() - begin) / kTimes;
    });
    const double price = model_of(hierarchy).vote_seconds(/*over_tree=*/false);
    CAPTURE(seconds);
    CHECK(price < 1.4 * seconds);
    CHECK(price > seconds / 1.4);
  }
}

TEST_CASE("more records never take less time, and a flat machine has one route") {
  for (const std::string shape : {"8", "4x4", "16x11x449"}) {
    const Hierarchy hierarchy = Hierarchy::parse(shape);
    const RouteModel model = model_of(hierarchy);
    for (const std::string& route : Route::all_names()) {
      CAPTURE(route);
      double before = 0;
      for (double records = 0; records < 1e12; records = 10 * records + 1) {
        const double seconds = model.seconds(route, {.records = records, .record_bytes = 12});
        CHECK(seconds >= 0.95 * before);  // a message that only closes a channel is saved if records go there
        before = seconds;
        if (hierarchy.depth() == 1) CHECK(seconds == model.seconds("direct", {.records = records, .record_bytes = 12}));
      }
    }
  }
  CHECK_THROWS_AS(model_of(Hierarchy::parse("2x2")).seconds("detour", {}), InputError);
  CHECK_THROWS_AS(RouteModel(Hierarchy::parse("2x2"), Cost::paper(1).levels(), {1024, 4}), InputError);
}
