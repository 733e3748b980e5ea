// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/measure_records.hpp>
#include <string>

using namespace atl;

namespace {

constexpr RecordCosts kTrueCosts{
    .copied_byte_s = 1e-9, .appended_record_s = 30e-9, .merged_record_s = 20e-9, .handled_record_s = 70e-9};

}  // namespace

TEST_CASE("what records cost is found in virtual time, and on threads it is the same on all ranks") {
  Machine costly = Cost::paper(2);
  costly.records = kTrueCosts;
  const auto near = [](double found, double exact) { CHECK(found / exact == doctest::Approx(1).epsilon(0.01)); };
  for (const std::string route : {"direct", "domain"}) {
    CAPTURE(route);
    Plan plan;
    plan.route = route;
    run_virtual(Hierarchy::parse("1+2"), costly, plan, [&](World& world) {
      const RecordCosts found = measure_record_costs(world, 1);
      near(found.copied_byte_s, kTrueCosts.copied_byte_s);
      near(found.appended_record_s, kTrueCosts.appended_record_s);
      near(found.merged_record_s, kTrueCosts.merged_record_s);
      near(found.handled_record_s, kTrueCosts.handled_record_s);
    });
    run_virtual(Hierarchy::parse("2"), Cost::paper(1), plan,
                [](World& world) { CHECK(measure_record_costs(world, 1).is_none()); });
    plan.threads = 1;
    plan.domains = "1+1";
    run_ranks(2, plan, [](World& world) {
      const RecordCosts found = measure_record_costs(world, 3);
      for (const double cost :
           {found.copied_byte_s, found.appended_record_s, found.merged_record_s, found.handled_record_s}) {
        CHECK(cost >= 0);
        CHECK(cost < 1e-3);
        CHECK(world.min(cost) == world.max(cost));
      }
      CHECK(found.copied_byte_s > 0);
      CHECK(found.merged_record_s > 0);
      CHECK_THROWS_AS(measure_record_costs(world, 0), InputError);
    });
  }
}
