// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "records.hpp"
#include "shapes.hpp"

using namespace atl;
using namespace records;

TEST_CASE("a record to a rank that is none is an error that names it") {
  run_ranks(3, Plan{.threads = 1}, [](World& world) {
    std::vector<int> got;
    Mailbox box(world, of_records<int>([&](int record) { got.push_back(record); }));
    for (const Rank to : {-1, 3, 1 << 30}) {
      CAPTURE(to);
      CHECK_THROWS_WITH_AS(box.send(to, 5), doctest::Contains(fmt::format("sent to rank {} (there are 3", to).c_str()),
                           InputError);
    }
    box.send(2, 7);
    box.drain();
    CHECK(got == (world.rank() == 2 ? std::vector{7, 7, 7} : std::vector<int>{}));
  });
}

TEST_CASE("a handler that throws ends the job with its error, with other threads waiting for the handler") {
  for (const Handling handling : {Handling::serial, Handling::parallel})
    for (const int threads : {1, 3}) {
      Plan plan;
      plan.threads = threads;
      plan.slot_bytes = 128;
      plan.slots_per_peer = 2;
      plan.timeout_seconds = 60;
      CHECK_THROWS_WITH_AS(run_ranks(2, plan,
                                     [&](World& world) {
                                       std::atomic<int> seen{0};
                                       Mailbox box(world, of_records<int>([&](int) {
                                                     if (world.rank() == 1 && ++seen > 50)
                                                       throw InputError("bad record");
                                                   }),
                                                   {.handling = handling, .handler_sends = false});
                                       world.team().run([&](int) {
                                         for (int i = 0; i < 500; ++i) box.send(1, i);
                                       });
                                       box.drain();
                                     }),
                           "bad record", InputError);
    }
}
