// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/mailbox.hpp>

using namespace atl;

TEST_CASE("mailboxes that live long do not get in the way of a thousand short ones") {
  for (const Rank ranks : {1, 2, 3})
    for (const std::uint64_t seed : {0, 5}) {
      Plan plan;
      plan.threads = 1;
      plan.shuffle_seed = seed;
      run_ranks(ranks, plan, [](World& world) {
        int long_lived = 0, short_lived = 0;
        Mailbox first(world, of_records<int>([&](const int& x) { long_lived += x; }));
        Mailbox second(world, of_records<int>([&](const int& x) { long_lived += 1000 * x; }));
        for (int i = 0; i < 1000; ++i) {
          Mailbox box(world, of_records<int>([&](const int& x) { short_lived += x; }));
          for (Rank r = 0; r < world.size(); ++r) box.send(r, 1);
          box.drain();
        }
        for (Rank r = 0; r < world.size(); ++r) {
          first.send(r, 1);
          second.send(r, 1);
        }
        first.drain();
        second.drain();
        CHECK(short_lived == 1000 * world.size());
        CHECK(long_lived == 1001 * world.size());
      });
    }
}
