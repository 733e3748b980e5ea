// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/shared_memory/inproc.hpp>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

using namespace atl;

namespace {

std::uint64_t word_of(const Packet& p) {
  std::uint64_t w = 0;
  std::memcpy(&w, p.data, sizeof w);
  return w;
}

bool post(Fabric& fabric, Rank to, std::uint64_t word, std::size_t bytes) {
  Slot slot;
  if (fabric.acquire(to, slot) != Busy::no) return false;
  std::memset(slot.data, static_cast<int>(word & 0xff), bytes);
  std::memcpy(slot.data, &word, sizeof word);
  fabric.publish(slot, bytes);
  return true;
}

}  // namespace

TEST_CASE("every packet arrives exactly once, whole, whatever the delays") {
  constexpr Rank kRanks = 3;
  constexpr std::uint64_t kPackets = 2000;
  for (const std::uint64_t seed : {0u, 1u, 7u, 1234u}) {
    CAPTURE(seed);
    auto fabrics =
        make_inproc({.ranks = kRanks, .slot_bytes = 256, .slots_per_peer = 3, .shuffle_seed = seed, .nodes = {}});
    std::vector<std::vector<int>> seen(kRanks, std::vector<int>(kRanks * kPackets));
    std::vector<int> broken(kRanks);
    auto play = [&](Rank me) {
      Fabric& fabric = *fabrics[static_cast<std::size_t>(me)];
      Random random(seed * 31 + static_cast<std::uint64_t>(me));
      auto& mine = seen[static_cast<std::size_t>(me)];
      std::uint64_t sent[kRanks] = {}, got = 0;
      auto some_left = [&] {
        for (Rank to = 0; to < kRanks; ++to)
          if (to != me && sent[to] < kPackets) return true;
        return got < (kRanks - 1) * kPackets;
      };
      while (some_left()) {
        for (Rank to = 0; to < kRanks; ++to) {
          const std::size_t bytes = 8 + random.below(249);
          // The word encodes sender, number and length.
          const std::uint64_t word = (static_cast<std::uint64_t>(me) * kPackets + sent[to]) << 16 | bytes;
          if (to != me && sent[to] < kPackets && post(fabric, to, word, bytes)) ++sent[to];
        }
        Packet packets[4];
        const int n = fabric.poll(packets);
        for (int i = 0; i < n; ++i) {
          const std::uint64_t word = word_of(packets[i]);
          const std::size_t bytes = word & 0xffff;
          bool whole = packets[i].bytes == bytes && word >> 16 < kRanks * kPackets &&
                       static_cast<Rank>((word >> 16) / kPackets) == packets[i].from;
          for (std::size_t b = 8; b < bytes; ++b)
            whole = whole && packets[i].data[b] == static_cast<std::byte>(word & 0xff);
          broken[static_cast<std::size_t>(me)] += !whole;
          if (whole) ++mine[word >> 16];
          ++got;
          fabric.release(packets[i]);
        }
        if (n == 0) std::this_thread::yield();
      }
    };
    std::vector<std::thread> ranks;
    for (Rank r = 0; r < kRanks; ++r) ranks.emplace_back(play, r);
    for (auto& t : ranks) t.join();
    for (Rank me = 0; me < kRanks; ++me) {
      CHECK(broken[static_cast<std::size_t>(me)] == 0);
      for (Rank from = 0; from < kRanks; ++from)
        for (std::uint64_t i = 0; i < kPackets; ++i) {
          const int times = seen[static_cast<std::size_t>(me)][static_cast<std::size_t>(from) * kPackets + i];
          if (times != (from == me ? 0 : 1)) FAIL("packet ", i, " from ", from, " to ", me, " came ", times, " times");
        }
    }
  }
}

TEST_CASE("a seed reorders delivery reproducibly") {
  auto order = [](std::uint64_t seed) {
    auto fabrics =
        make_inproc({.ranks = 2, .slot_bytes = 128, .slots_per_peer = 16, .shuffle_seed = seed, .nodes = {}});
    for (std::uint64_t i = 0; i < 16; ++i) REQUIRE(post(*fabrics[0], 1, i, 8));
    std::vector<std::uint64_t> out;
    for (int polls = 0; out.size() < 16 && polls < 1000; ++polls) {
      Packet packets[16];
      const int n = fabrics[1]->poll(packets);
      for (int i = 0; i < n; ++i) {
        out.push_back(word_of(packets[i]));
        fabrics[1]->release(packets[i]);
      }
    }
    return out;
  };
  CHECK(order(3).size() == 16);
  CHECK(order(3) == order(3));
  CHECK(order(3) != order(0));
  CHECK(order(3) != order(4));
}

TEST_CASE("a sender without a slot gets a retry at once, and a release gives it one") {
  auto fabrics = make_inproc({.ranks = 2, .slot_bytes = 128, .slots_per_peer = 2, .shuffle_seed = 0, .nodes = {}});
  CHECK(post(*fabrics[0], 1, 1, 8));
  CHECK(post(*fabrics[0], 1, 2, 8));
  Slot slot;
  CHECK(fabrics[0]->acquire(1, slot) == Busy::no_slot);
  Packet packets[2];
  REQUIRE(fabrics[1]->poll(packets) == 2);
  CHECK(fabrics[0]->acquire(1, slot) == Busy::no_slot);  // read, but not yet released
  fabrics[1]->release(packets[0]);
  CHECK(fabrics[0]->acquire(1, slot) == Busy::no);
  fabrics[0]->abandon(slot);
  CHECK(fabrics[0]->acquire(1, slot) == Busy::no);
  fabrics[0]->abandon(slot);
  fabrics[1]->release(packets[1]);
}

TEST_CASE("wait ends by its timeout, by a packet and by wake") {
  auto fabrics = make_inproc({.ranks = 2, .slot_bytes = 128, .slots_per_peer = 2, .shuffle_seed = 0, .nodes = {}});
  Fabric& fabric = *fabrics[1];
  Packet packets[2];
  auto quiet = [&] {
    while (fabric.poll(packets) > 0) fabric.release(packets[0]);
  };
  quiet();
  const Timer timer;
  CHECK_FALSE(fabric.wait(0.05));
  CHECK(timer.seconds() >= 0.045);

  for (const bool by_wake : {false, true}) {
    quiet();
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (by_wake) {
        fabric.wake();
      } else {
        post(*fabrics[0], 1, 1, 8);
      }
    });
    const Timer waited;
    CHECK(fabric.wait(20));
    CHECK(waited.seconds() < 10);
    other.join();
  }
}

TEST_CASE("nodes are the emulated ones, and memory is allocated at first use") {
  auto fabrics =
      make_inproc({.ranks = 3, .slot_bytes = 1024, .slots_per_peer = 4, .shuffle_seed = 0, .nodes = {0, 1, 1}});
  CHECK(fabrics[0]->node_of(0) == 0);
  CHECK(fabrics[2]->node_of(1) == fabrics[2]->node_of(2));
  CHECK(fabrics[0]->memory_bytes() == 0);
  CHECK(post(*fabrics[0], 1, 1, 8));
  CHECK(fabrics[1]->memory_bytes() >= 1024);  // the receiver's
  CHECK(fabrics[1]->memory_bytes() < 128 * 1024);
  CHECK(fabrics[0]->memory_bytes() == 0);
  CHECK_THROWS_AS(make_inproc({.ranks = 0, .slot_bytes = 128, .slots_per_peer = 1, .shuffle_seed = 0, .nodes = {}}),
                  InputError);
}

TEST_CASE("the first packet of a rank is found, even if it arrives during a poll of the others") {
  constexpr int kTimes = 3000;
  std::atomic<int> go{0}, gone{0};
  std::vector<std::unique_ptr<Fabric>> fabrics;
  std::thread other([&] {
    for (int i = 1; i <= kTimes; ++i) {
      while (go.load() < i) {
      }
      post(*fabrics[2], 0, 2, 8);
      gone = i;
    }
  });
  int lost = 0;
  for (int i = 1; i <= kTimes; ++i) {
    fabrics = make_inproc({.ranks = 3, .slot_bytes = 128, .slots_per_peer = 1, .shuffle_seed = 0, .nodes = {}});
    Packet packets[4];
    post(*fabrics[1], 0, 1, 8);
    REQUIRE(fabrics[0]->poll(packets) == 1);
    fabrics[0]->release(packets[0]);
    go = i;
    int n = 0;
    while (gone.load() < i && n == 0) n = fabrics[0]->poll(packets);
    while (gone.load() < i) {
    }
    if (n == 0) n = fabrics[0]->poll(packets);
    lost += n != 1;
  }
  other.join();
  CHECK(lost == 0);
}
