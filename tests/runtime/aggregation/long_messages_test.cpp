// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/long_messages.hpp>
#include <atoll/runtime/broadcast/panel_broadcast.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/topology/machine.hpp>
#include <mutex>

using namespace atl;

namespace {

std::vector<std::uint64_t> numbers(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint64_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = random_at(seed, i);
  return out;
}

}  // namespace

TEST_CASE("a message of which the standard slots in flight hold two takes those, a longer one longer slots") {
  run_virtual(Hierarchy::parse("2x2"), *machine_preset("a800"), {}, [](World& world) {
    const std::size_t standard = world.payload_bytes(), window = (world.slot_rule().bytes - 64) * 2;
    CHECK(message_slot_payload(world, 0) == standard);
    CHECK(message_slot_payload(world, window) == standard);
    std::size_t before = standard;
    for (std::size_t bytes = window; bytes < std::size_t{1} << 24; bytes = bytes * 5 / 4) {
      const std::size_t payload = message_slot_payload(world, bytes);
      CHECK(payload >= before);
      CHECK(payload + World::kHeaderBytes <= world.slot_rule().longest);
      CHECK((payload + World::kHeaderBytes) % 64 == 0);
      before = payload;
    }
    CHECK(before + World::kHeaderBytes == world.slot_rule().longest);
    CHECK(message_slot_payload(world, window + 1) > standard);
  });
  run_ranks(2, {}, [](World& world) { CHECK(message_slot_payload(world, 1 << 24) == world.payload_bytes()); });
  Plan given, single;
  given.slot_bytes = 4096;
  single.buffers = "single";
  single.slots_per_peer = 1;
  for (const Plan& plan : {given, single})
    run_virtual(Hierarchy::flat(2), *machine_preset("a800"), plan, [](World& world) {
      CHECK(message_slot_payload(world, 1 << 24) == world.payload_bytes());
      if (world.rank() != 0) return;
      std::vector<Slot> slots;
      for (Slot slot; acquire_for_message(world, 1, 100, slot) == Busy::no;) slots.push_back(slot);
      CHECK(static_cast<int>(slots.size()) == world.plan().slots_per_peer);
      for (const Slot& slot : slots) world.abandon(slot);
    });
}

// 8 MB over a link of 50 microseconds and 20 GB/s: 400 microseconds, and 4 packets of 64 KiB a round trip would be 3,000.
TEST_CASE("a long message takes the time of its bytes, whatever sends it") {
  constexpr std::size_t kCount = 1'000'000, kBytes = kCount * sizeof(std::uint64_t);
  const Machine machine = *machine_preset("a800");
  const double least = static_cast<double>(kBytes) / machine.cost.at(1).bytes_per_second, most = 1.2 * least + 400e-6;
  std::mutex lock;
  double exchanged = 0, broadcast = 0;
  run_virtual(Hierarchy::parse("2x1"), machine, {}, [&](World& world) {
    std::vector<std::vector<std::uint64_t>> outgoing(2);
    outgoing[1 - world.rank()] = numbers(static_cast<std::uint64_t>(world.rank()), kCount);
    const double begin = world.now();
    const auto incoming = world.exchange(std::move(outgoing));
    const double middle = world.now();
    CHECK(incoming[1 - world.rank()] == numbers(static_cast<std::uint64_t>(1 - world.rank()), kCount));
    PanelBroadcast broadcasts(world, {{0, 1}});
    std::vector<std::uint64_t> panel = world.rank() == 0 ? numbers(5, kCount) : std::vector<std::uint64_t>(kCount);
    BroadcastRequest request;
    const double start = world.now();
    broadcasts.start(request, 0, 0, 0, {reinterpret_cast<std::byte*>(panel.data()), kBytes}, BroadcastShape::tree);
    broadcasts.finish(request);
    const double end = world.now();
    CHECK(panel == numbers(5, kCount));
    std::lock_guard hold(lock);
    exchanged = std::max(exchanged, middle - begin);
    broadcast = std::max(broadcast, end - start);
  });
  CHECK(exchanged >= least);
  CHECK(exchanged < most);
  CHECK(broadcast >= least);
  CHECK(broadcast < most);
}
