// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "records.hpp"

using namespace atl;
using namespace records;

// CTest repeats these with each ATOLL_ISA.
TEST_CASE("bulk sending is scalar sending: records of 3 and 4 words") {
  everywhere<3>(Sending::mixed, {});
  everywhere<4>(Sending::mixed, {});
}

TEST_CASE("bulk sending fills large slots and more ranks than a vector kernel has buckets: records of 4 words") {
  for (const Rank ranks : {2, 16, 17}) {
    if (shapes::kSanitized && ranks != 17) continue;
    Plan plan;
    plan.threads = 1;
    plan.timeout_seconds = 120;
    run_ranks(ranks, plan, [&](World& world) {
      check_exactly_once<4>(world, shapes::kSanitized ? 2000 : 20000, Sending::bulk, {});
    });
  }
}
