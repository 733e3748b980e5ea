// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/queue/mpmc_queue.hpp>
#include <atoll/runtime/queue/packet_pool.hpp>
#include <set>
#include <thread>
#include <vector>

using namespace atl;

TEST_CASE("a queue of numbers is first in, first out, and says when it is full or empty") {
  for (const std::uint32_t capacity : {1U, 2U, 3U, 7U, 64U, 100U}) {
    CAPTURE(capacity);
    MpmcQueue queue(capacity);
    CHECK_FALSE(queue.pop());
    std::uint32_t in = 0, out = 0;
    for (int round = 0; round < 50; ++round) {
      while (queue.push(in)) ++in;
      CHECK(in - out == capacity);
      CHECK(queue.size() == capacity);
      for (std::uint32_t k = 0; k < (static_cast<std::uint32_t>(round) % capacity) + 1; ++k) {
        const auto v = queue.pop();
        REQUIRE(v);
        CHECK(*v == out++);
      }
    }
    while (const auto v = queue.pop()) CHECK(*v == out++);
    CHECK(in == out);
    CHECK(queue.empty());
  }
}

TEST_CASE("a million pushes without a pop: all beyond the capacity are refused, and none of the others is lost") {
  constexpr std::uint32_t kCapacity = 1000, kPushes = 1000000;
  MpmcQueue queue(kCapacity);
  std::uint32_t taken = 0;
  for (std::uint32_t i = 0; i < kPushes; ++i) taken += queue.push(i);
  CHECK(taken == kCapacity);
  for (std::uint32_t i = 0; i < kCapacity; ++i) CHECK(queue.pop() == i);
  CHECK_FALSE(queue.pop());
}

TEST_CASE("many producers and consumers: every number arrives once, those of one producer in order") {
  constexpr int kProducers = 3, kConsumers = 3;
  constexpr std::uint32_t kEach = 30000;
  for (const std::uint32_t capacity : {1U, 5U, 256U}) {
    CAPTURE(capacity);
    MpmcQueue queue(capacity);
    std::atomic<std::uint32_t> left{kProducers * kEach};
    std::vector<std::vector<std::uint32_t>> got(kConsumers);
    std::vector<std::thread> threads;
    for (int p = 0; p < kProducers; ++p)
      threads.emplace_back([&, p] {
        for (std::uint32_t i = 0; i < kEach; ++i)
          while (!queue.push(static_cast<std::uint32_t>(p) << 24 | i)) std::this_thread::yield();
      });
    for (int c = 0; c < kConsumers; ++c)
      threads.emplace_back([&, c] {
        while (left.load() > 0) {
          if (const auto v = queue.pop()) {
            got[static_cast<std::size_t>(c)].push_back(*v);
            --left;
          } else {
            std::this_thread::yield();
          }
        }
      });
    for (auto& t : threads) t.join();
    std::vector<std::vector<int>> seen(kProducers, std::vector<int>(kEach));
    for (const auto& mine : got) {
      std::vector<std::int64_t> last(kProducers, -1);
      for (const std::uint32_t v : mine) {
        const std::uint32_t p = v >> 24, i = v & 0xffffff;
        CHECK_MESSAGE(static_cast<std::int64_t>(i) > last[p], "producer ", p, " out of order");
        last[p] = i;
        ++seen[p][i];
      }
    }
    for (const auto& s : seen)
      for (const int times : s)
        if (times != 1) FAIL("a number came ", times, " times");
    CHECK(queue.empty());
  }
}

TEST_CASE(
    "a pool hands out every packet once, steals, returns packets to their owner, and withholds its reserve from "
    "users") {
  PacketPool pool(10, 3, 2);
  std::set<std::uint32_t> mine;
  while (const auto p = pool.take(0)) CHECK(mine.insert(*p).second);
  CHECK(mine.size() == 10);  // also those of thread 1
  CHECK_FALSE(pool.take(1));
  std::set<std::uint32_t> reserve;
  while (const auto p = pool.take(1, PacketPool::For::library)) CHECK(reserve.insert(*p).second);
  CHECK(reserve.size() == 3);
  for (const std::uint32_t p : reserve) CHECK(mine.count(p) == 0);
  for (const std::uint32_t p : reserve) pool.give(p);
  CHECK_FALSE(pool.take(0));  // only the reserve is left
  for (const std::uint32_t p : mine) pool.give(p);
  CHECK(pool.free() == 13);
  CHECK(pool.take(0));
}

TEST_CASE("threads that take and give at random never hold one packet twice") {
  constexpr int kThreads = 3;
  PacketPool pool(7, 2, kThreads);
  std::vector<std::atomic<int>> holders(pool.size());
  std::atomic<int> twice{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      std::vector<std::uint32_t> held;
      for (int i = 0; i < 20000; ++i) {
        if (const auto p =
                i % 3 == 2 ? std::nullopt : pool.take(t, i % 5 ? PacketPool::For::user : PacketPool::For::library)) {
          twice += holders[*p].fetch_add(1) != 0;
          held.push_back(*p);
        } else if (!held.empty()) {
          holders[held.back()].fetch_sub(1);
          pool.give(held.back());
          held.pop_back();
        }
      }
      for (const std::uint32_t p : held) {
        holders[p].fetch_sub(1);
        pool.give(p);
      }
    });
  for (auto& t : threads) t.join();
  CHECK(twice == 0);
  CHECK(pool.free() == pool.size());
}
