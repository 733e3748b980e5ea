// SPDX-License-Identifier: Apache-2.0
// Numbers that ranks add up while they drain a mailbox: on every route the same as by a fold.
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/hop_list.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <string>

#include "shapes.hpp"

using namespace atl;

namespace {

// Every rank's numbers differ, so that one which is missing or counted twice shows.
DrainSums numbers_of(Rank rank, int round) {
  DrainSums mine;
  for (std::size_t i = 0; i < mine.values.size(); ++i)
    mine.values[i] = static_cast<std::int64_t>(random_at(static_cast<std::uint64_t>(rank) + 1, 10 * round + i) >> 8) -
                     (std::int64_t{1} << 54);
  return mine;
}

// Drains rounds with no records, with few and with many, and compares what the drain returns with the sum.
void check_sums(World& world, bool handler_sends) {
  std::uint64_t got = 0, expected = 0;
  Mailbox box(world, of_records<std::uint64_t>([&](const std::uint64_t& x) { got += x; }),
              {.handling = Handling::serial, .handler_sends = handler_sends});
  for (int round = 0; round < 6; ++round) {
    const int records = round % 3 == 0 ? 0 : round % 3 == 1 ? 1 : 100;
    for (int i = 0; i < records; ++i) {
      const std::uint64_t x = random_at(static_cast<std::uint64_t>(world.rank()), 1000 * round + i);
      box.send(static_cast<Rank>(x % static_cast<std::uint64_t>(world.size())), 1);
    }
    for (Rank from = 0; from < world.size(); ++from)
      for (int i = 0; i < records; ++i)
        expected +=
            random_at(static_cast<std::uint64_t>(from), 1000 * round + i) % static_cast<std::uint64_t>(world.size()) ==
            static_cast<std::uint64_t>(world.rank());
    DrainSums all;
    for (Rank r = 0; r < world.size(); ++r) all += numbers_of(r, round);
    if (round == 4) {
      box.drain();
    } else {
      CHECK(box.drain(numbers_of(world.rank(), round)) == all);
    }
    CHECK(got == expected);
  }
}

constexpr const char* kHierarchies[] = {"1",     "2",     "3",         "2x1",     "1+2",     "2x2",          "3+2",
                                        "1+4+2", "2x2x2", "5+1+7+3",   "2x4x2",   "4x4",     "2x1x3",        "1x1x4",
                                        "2x3x5", "7x3",   "3x2x2x2x2", "2x2x2x2", "4+2+1+9", "1+1+1+1+1+1+1"};

// Groups of unequal numbers of leaves, of unequal sizes: monitors of a leaf and of its group do not match.
Hierarchy uneven() {
  const std::vector<std::vector<Rank>> groups{{3, 1, 2}, {1}, {5, 4}, {2, 2, 2, 2}, {7, 1}};
  Domain root{"system", "machine", {}, {}};
  Rank next = 0;
  for (const auto& leaves : groups) {
    Domain& group = root.children.emplace_back(Domain{"switch", "group", {}, {}});
    for (const Rank size : leaves) {
      Domain& leaf = group.children.emplace_back(Domain{"node", "leaf", {}, {}});
      for (Rank r = 0; r < size; ++r) leaf.ranks.push_back(next++);
    }
  }
  return Hierarchy(root);
}

// Sanitizers look at a part of the cases.
bool is_left_out(std::uint64_t number) { return shapes::kSanitized && random_at(9, number) % 20 != 0; }

std::vector<std::string> routes() {
  std::vector<std::string> all = Route::all_names();
  all.emplace_back("auto");
  return all;
}

}  // namespace

TEST_CASE("a drain returns the sums over all ranks on every route, whatever the domains and their monitors") {
  std::uint64_t number = 0;
  for (const std::string machine : kHierarchies)
    for (const std::string& route : routes())
      for (const std::string& monitors : monitor_names()) {
        if (!route.starts_with("domain") && monitors != "spread") continue;
        if (is_left_out(++number)) continue;
        CAPTURE(machine);
        CAPTURE(route);
        CAPTURE(monitors);
        Plan plan;
        plan.route = route;
        plan.monitors = monitors;
        const Hierarchy hierarchy = Hierarchy::parse(machine);
        run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, [&](World& world) {
          world.prefer_monitors(static_cast<std::int64_t>(random_at(7, static_cast<std::uint64_t>(world.rank())) % 5));
          check_sums(world, false);
          if (route != "auto") check_sums(world, true);
        });
      }
}

TEST_CASE("a drain returns the sums on threads too, whatever the buffers and the order of delivery") {
  std::uint64_t number = 0;
  for (const char* machine : {"1+2", "2x2", "3+2", "2x2x2"})
    for (const std::string& route : routes())
      for (auto [name, plan] : shapes::buffers()) {
        if (is_left_out(++number)) continue;
        CAPTURE(machine);
        CAPTURE(route);
        CAPTURE(name);
        plan.route = route;
        plan.domains = machine;
        run_ranks(Hierarchy::parse(machine).size(), plan, [&](World& world) { check_sums(world, false); });
      }
}

TEST_CASE("without closing packets a drain ends by barriers and votes, and returns the same sums") {
  std::uint64_t number = 0;
  for (const std::string machine : {"1+2", "3+2", "2x2x2", "1+4+2", "4x4"})
    for (const std::string& route : routes()) {
      if (is_left_out(++number)) continue;
      CAPTURE(machine);
      CAPTURE(route);
      Plan plan;
      plan.route = route;
      plan.without = "closing";
      const Hierarchy hierarchy = Hierarchy::parse(machine);
      run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, [&](World& world) {
        check_sums(world, false);
        if (route != "auto" && route != "direct") CHECK(!world.hops(route).closed_by_counts());
      });
    }
}

TEST_CASE("exchanges of one mailbox have one monitor a pair of domains or many, by volume, and lose nothing") {
  for (const Hierarchy& hierarchy :
       {Hierarchy::parse("2x2x4"), Hierarchy::parse("4x4"), Hierarchy::parse("5+1+7+3"), uneven()})
    for (const std::string route : {"domain", "auto"}) {
      CAPTURE(route);
      Plan plan;
      plan.route = route;
      run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, [&](World& world) {
        std::int64_t got = 0;
        Mailbox box(world, of_records<std::int64_t>([&](const std::int64_t& x) { got += x; }),
                    {.handling = Handling::serial, .handler_sends = false});
        const auto ranks = static_cast<std::int64_t>(world.size());
        std::int64_t expected = 0;
        for (const std::int64_t each : {0, 1, 300, 0, 300, 2}) {
          box.expect({.records = static_cast<double>(each * ranks * ranks), .agrees_apart = false});
          for (Rank to = 0; to < world.size(); ++to)
            for (std::int64_t i = 0; i < each; ++i) box.send(to, world.rank() + 1);
          CHECK(box.drain({{world.rank(), each}}).values ==
                std::array<std::int64_t, 4>{ranks * (ranks - 1) / 2, each * ranks});
          expected += each * ranks * (ranks + 1) / 2;
          CHECK(got == expected);
          box.note_outcome();
        }
        if (route == "domain") CHECK(world.counters().routes.size() > 1);
      });
    }
}

TEST_CASE("the prediction for an exchange between two is that for the records which were sent") {
  const Hierarchy hierarchy = Hierarchy::parse("4x4");
  Plan plan;
  plan.route = "auto";
  run_virtual(hierarchy, Cost::paper(2), plan, [&](World& world) {
    Mailbox box(world, of_records<std::int64_t>([](const std::int64_t&) {}), {.handler_sends = false});
    const Exchange least{.agrees_apart = false}, most{.records = 1000, .agrees_apart = false};
    REQUIRE(box.expect_between(least, most));
    for (Rank to = 0; to < 4; ++to) box.send(to, 1);
    box.drain({});
    box.note_outcome();
    REQUIRE(world.counters().routes.size() == 1);
    const auto [route, count] = *world.counters().routes.begin();
    const Exchange sent{.records = 4 * 16, .agrees_apart = false};
    CHECK(count.predicted_seconds == doctest::Approx(world.route_model().seconds(route, sent)));
  });
}

TEST_CASE("unequal domains of many ranks have hops that repeat a sum, which is added once") {
  std::uint64_t number = 0;
  // In the first, leaves' sizes do not divide their groups', and there are more groups than ranks in a leaf.
  for (const Hierarchy& hierarchy : {Hierarchy::parse("9x5x3"), uneven()})
    for (const std::string route :
         {"mst-levels", "domain", "domain:leaf", "domain:rank", "aml-levels", "row", "aml", "mst"})
      for (const std::string& monitors : monitor_names()) {
        if (is_left_out(++number)) continue;
        Plan plan;
        plan.route = route;
        plan.monitors = monitors;
        CAPTURE(route);
        CAPTURE(monitors);
        run_virtual(hierarchy, Cost::paper(3), plan, [&](World& world) {
          check_sums(world, false);
          CHECK(world.hops(route).closed_by_counts() == (route != "aml" && route != "mst"));
        });
      }
}
