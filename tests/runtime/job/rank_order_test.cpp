// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/rank_order.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace atl;

namespace {

Plan with_map(const std::string& map) {
  Plan plan;
  plan.map = map;
  return plan;
}

std::vector<Rank> by_file(const std::string& text, Rank ranks) {
  const files::Folder folder;
  return rank_order(with_map(folder.write("places", text)), ranks);
}

bool has_each_once(std::vector<Rank> order, Rank ranks) {
  std::ranges::sort(order);
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

// Each rank sends to the next, more than all votes. Bytes that cross the top level.
std::uint64_t ring_top_bytes(const Machine& machine, const Hierarchy& hierarchy, const Plan& plan) {
  const VirtualRun run = run_virtual(hierarchy, machine, plan, [](World& world) {
    std::uint64_t from = 0;
    Mailbox box(world, of_records<std::uint64_t>([&](const std::uint64_t& rank) { from = rank; }));
    for (int step = 0; step < 5; ++step) {
      for (int i = 0; i < 2000; ++i)
        box.send((world.rank() + 1) % world.size(), static_cast<std::uint64_t>(world.rank()));
      box.drain();
    }
    CHECK(from == static_cast<std::uint64_t>((world.rank() + world.size() - 1) % world.size()));
  });
  return run.levels.back().bytes;
}

}  // namespace

TEST_CASE("without a map ranks are as launched, and by identity too") {
  CHECK(rank_order(Plan{}, 5).empty());
  CHECK(rank_order(with_map("identity"), 3) == std::vector<Rank>{0, 1, 2});
  CHECK(rank_of_process({}, 3) == 3);
  CHECK(rank_of_process({2, 0, 1}, 2) == 0);
}

TEST_CASE("a numbering gives each place of the network once, and those below the ranks if there are fewer") {
  const Network network = Network::parse("random:64:4");
  for (const char* method : {"random", "hamorder", "hamorder-w"})
    for (const Rank ranks : {1, 5, 63, 64, 65, 128, 200}) {
      CAPTURE(method);
      CAPTURE(ranks);
      CHECK(has_each_once(rank_order(with_map(method), ranks, &network), ranks));
    }
  Plan on_domains = with_map("hamorder-w"), on_platform = on_domains;
  on_domains.domains = on_platform.platform = "random:64:4";
  const std::vector<Rank> order = rank_order(on_domains, 64);
  CHECK(order == rank_order(on_platform, 64));
  CHECK(jumps_of(PlaceGraph(network), order) == 0);
}

TEST_CASE("a numbering without a network is refused, and says where to name one") {
  Plan plan = with_map("hamorder");
  CHECK(rank_order(plan, 1) == std::vector<Rank>{0});
  for (const char* domains : {"", "2x2"}) {
    plan.domains = domains;
    CHECK_THROWS_WITH_AS(rank_order(plan, 4), doctest::Contains("--domains"), UsageError);
  }
}

TEST_CASE("a file of places is taken as it is") {
  CHECK(by_file("2\n0\n1\n", 3) == std::vector<Rank>{2, 0, 1});
  CHECK(by_file("# of three ranks\n2 0 # the first two\n\n1", 3) == std::vector<Rank>{2, 0, 1});
}

TEST_CASE("a file that does not name each place once is refused by its line") {
  const auto refusal = [](const std::string& text, Rank ranks) -> std::string {
    try {
      by_file(text, ranks);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(refusal("0\n2\n2\n", 3).find(":3: place 2 is named twice") != std::string::npos);
  CHECK(refusal("0\n3\n1\n", 3).find(":2: place 3 does not exist") != std::string::npos);
  CHECK(refusal("0\n-1\n", 2).find(":2: '-1' is no place") != std::string::npos);
  CHECK(refusal("0 1x\n", 2).find(":1: '1x' is no place") != std::string::npos);
  CHECK(refusal("0\n99999999999\n", 2).find("is no place") != std::string::npos);
  CHECK(refusal("0\n", 2).find("1 places (there are 2 ranks)") != std::string::npos);
  CHECK_THROWS_WITH_AS(rank_order(with_map("no/such/file"), 2), doctest::Contains("no/such/file"), InputError);
}

TEST_CASE("simulated ranks are as far apart as their places") {
  // With 4 domains of 4, neighbours in a ring share a domain but for 4 pairs, and by `apart` none does.
  const Hierarchy places = Hierarchy::parse("4x4");
  const Machine machine = Cost::paper(2);
  std::string text;
  for (Rank r = 0; r < 16; ++r) text += std::to_string(r % 4 * 4 + r / 4) + " ";
  const files::Folder folder;
  const Plan apart = with_map(folder.write("places", text));
  const std::uint64_t as_launched = ring_top_bytes(machine, places, {});
  CHECK(ring_top_bytes(machine, places, with_map("identity")) == as_launched);
  CHECK(ring_top_bytes(machine, places, apart) > 2 * as_launched);

  run_virtual(places, machine, apart, [](World& world) {
    for (Rank r = 0; r < world.size(); ++r)
      CHECK(world.hierarchy().level_between(world.rank(), r) == (world.rank() % 4 == r % 4 ? 0 : 1));
  });
}

TEST_CASE("a slow link of the simulation stays at its place") {
  const Hierarchy places = Hierarchy::parse("2x2");
  Machine machine = Cost::paper(2);
  machine.noise.slow_links = {{.level = 0, .link = 3, .factor = 1000}};
  // Rank 0 alone sends, from place 3 or from another.
  const auto seconds = [&](const std::string& order) {
    const files::Folder folder;
    return run_virtual(places, machine, with_map(folder.write("places", order)),
                       [](World& world) {
                         Mailbox box(world, of_records<std::uint64_t>([](const std::uint64_t&) {}));
                         if (world.rank() == 0)
                           for (std::uint64_t i = 0; i < 1000; ++i) box.send(1, i);
                         box.drain();
                       })
        .seconds;
  };
  CHECK(seconds("3 2 1 0") > 10 * seconds("0 1 2 3"));
}
