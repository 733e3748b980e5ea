// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/aggregation/mailbox.hpp>

using namespace atl;

namespace {

Plan one_thread() {
  Plan plan;
  plan.threads = 1;
  return plan;
}

using Count = std::atomic<long>;
auto counting(Count& count) {
  return of_records<int>([&count](std::span<const int> records) { count += static_cast<long>(records.size()); });
}

}  // namespace

TEST_CASE("a World opens any number of mailboxes one after another while some stay open") {
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, one_thread(), [&](World& world) {
      Count kept{0}, brief{0};
      Mailbox stays(world, counting(kept));
      for (int round = 0; round < 700; ++round) {
        Mailbox box(world, counting(brief));
        box.send((world.rank() + 1) % world.size(), round);
        box.drain();
      }
      stays.send((world.rank() + 1) % world.size(), 0);
      stays.drain();
      CHECK(brief == 700);
      CHECK(kept == 1);
    });
}

TEST_CASE("hundreds of mailboxes may be open at once") {
  run_ranks(2, one_thread(), [](World& world) {
    Count count{0};
    using Box = decltype(Mailbox(world, counting(count)));
    std::vector<std::unique_ptr<Box>> boxes;
    for (int i = 0; i < 400; ++i) boxes.push_back(std::make_unique<Box>(world, counting(count)));
    for (auto& box : boxes) {
      box->send(1 - world.rank(), 1);
      box->drain();
    }
    CHECK(count == 400);
  });
}
