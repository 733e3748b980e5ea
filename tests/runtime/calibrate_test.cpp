// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/calibrate.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <nlohmann/json.hpp>
#include <string>

using namespace atl;

TEST_CASE("calibration finds the costs of a machine in virtual time") {
  const std::vector<LevelCost> machine{{1e-6, 10e9, 0.2e-6}, {3e-6, 10e9, 0.2e-6}, {20e-6, 5e9, 0.2e-6}};
  for (const char* domains : {"2x2x2", "2x1x3"}) {
    CAPTURE(domains);
    Plan plan;
    plan.slots_per_peer = 64;
    run_virtual(Hierarchy::parse(domains), machine, plan, [&](World& world) {
      const Cost cost = calibrate(world, world.hierarchy(), 3);
      REQUIRE(cost.depth() == 3);
      const bool has_middle = std::string(domains) == "2x2x2";  // otherwise no two ranks are that far apart
      for (int level = 0; level < 3; ++level) {
        const LevelCost& truth = machine[static_cast<std::size_t>(level == 1 && !has_middle ? 0 : level)];
        const double exact = truth.latency_s + truth.overhead_s;
        CHECK(cost.at(level).latency_s + cost.at(level).overhead_s == doctest::Approx(exact).epsilon(0.1));
        // Pieces of a slot, each with its header, several in flight.
        CHECK(cost.at(level).bytes_per_second > 0.5 * truth.bytes_per_second);
        CHECK(cost.at(level).bytes_per_second < 1.05 * truth.bytes_per_second);
      }
    });
  }
}

TEST_CASE("calibration is the same on all ranks, on any machine, and states its provenance") {
  for (const char* domains : {"3", "1+1", "2x2", "3+2"}) {
    CAPTURE(domains);
    Plan plan;
    plan.domains = domains;
    plan.threads = 1;
    run_ranks(Hierarchy::parse(domains).size(), plan, [&](World& world) {
      const Cost cost = calibrate(world, world.hierarchy(), 1);
      CHECK(cost.depth() == world.hierarchy().depth());
      CHECK(world.min(cost.seconds(0, 100)) == world.max(cost.seconds(0, 100)));
      if (std::string(domains) == "1+1") CHECK(cost.to_json()["levels"][0] == cost.to_json()["levels"][1]);
      CHECK(cost.at(0).latency_s + cost.at(0).overhead_s > 0);
      CHECK(cost.provenance().find("inproc") != std::string::npos);
      CHECK(Cost::from_json(cost.to_json()).to_json() == cost.to_json());
    });
  }
}

TEST_CASE("calibration on a single rank is an error") {
  CHECK_THROWS_AS(run_ranks(1, {}, [](World& world) { calibrate(world, world.hierarchy(), 1); }), InputError);
}
