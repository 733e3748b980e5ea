// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atomic>
#include <vector>

#include "shapes.hpp"

// Records that can be checked for completeness, and a test that each arrives once.
namespace records {

using namespace atl;

// A record of N 4-byte words that identifies its sender (top byte of the first word) and its number.
template <std::size_t N>
struct Words {
  std::uint32_t word[N];
};

template <std::size_t N>
Words<N> make(Rank from, std::size_t i) {
  Words<N> w;
  w.word[0] = static_cast<std::uint32_t>(from) << 24 | static_cast<std::uint32_t>(i);
  for (std::size_t k = 1; k < N; ++k) w.word[k] = static_cast<std::uint32_t>(mix64(w.word[0] + k));
  return w;
}

template <std::size_t N>
bool intact(const Words<N>& w) {
  for (std::size_t k = 1; k < N; ++k)
    if (w.word[k] != static_cast<std::uint32_t>(mix64(w.word[0] + k))) return false;
  return true;
}

// The target of `from`'s i-th record: uniform, except that every third rank gets most.
inline Rank target_of(Rank from, std::size_t i, Rank ranks, int round) {
  const std::uint64_t x = random_at(static_cast<std::uint64_t>(from + 100 * round), i);
  return x % 3 == 0 ? static_cast<Rank>(round % ranks) : static_cast<Rank>(x / 3 % static_cast<std::uint64_t>(ranks));
}

enum class Sending { scalar, bulk, mixed };

// Rounds of records from everyone to everyone; checks that each arrives once, whole, in its round and at its rank.
template <std::size_t N>
void check_exactly_once(World& world, std::size_t records, Sending sending, MailboxOptions options) {
  std::vector<std::uint32_t> got;
  SpinLock lock;
  std::atomic<int> broken{0};
  Mailbox box(world, of_records<Words<N>>([&](std::span<const Words<N>> run) {
                std::lock_guard hold(lock);
                for (const auto& w : run) {
                  broken += !intact(w);
                  got.push_back(w.word[0]);
                }
              }),
              options);
  for (int round = 0; round < 3; ++round) {
    world.team().for_range(records, 100, [&](int, std::size_t a, std::size_t b) {
      auto buffers = box.send_buffers();
      if (sending == Sending::scalar || (sending == Sending::mixed && a % 200 == 0)) {
        for (std::size_t i = a; i < b; ++i)
          buffers.send(target_of(world.rank(), i, world.size(), round), make<N>(world.rank(), i));
      } else {
        std::vector<Rank> to;
        std::vector<Words<N>> all;
        for (std::size_t i = a; i < b; ++i) {
          to.push_back(target_of(world.rank(), i, world.size(), round));
          all.push_back(make<N>(world.rank(), i));
        }
        buffers.send_many(to, all);
      }
    });
    box.drain();
    std::vector<std::uint32_t> expected;
    for (Rank from = 0; from < world.size(); ++from)
      for (std::size_t i = 0; i < records; ++i)
        if (target_of(from, i, world.size(), round) == world.rank()) expected.push_back(make<1>(from, i).word[0]);
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    CHECK(got == expected);
    CHECK(broken == 0);
    got.clear();
  }
}

// The same on every machine and with all buffers. Each record size takes 5 s to compile: one or two per file.
template <std::size_t N>
void everywhere(Sending sending, MailboxOptions options) {
  for (auto [name, plan] : shapes::buffers())
    for (const Rank ranks : shapes::kRanks)
      for (const int threads : {1, 3}) {
        if (threads > 1 && ranks > 3) continue;
        if (shapes::kSanitized && ranks % 2 == 0) continue;
        CAPTURE(name);
        CAPTURE(ranks);
        CAPTURE(threads);
        CAPTURE(N);
        plan.threads = threads;
        run_ranks(ranks, plan, [&](World& world) {
          check_exactly_once<N>(world, shapes::kSanitized ? 150 : 700, sending, options);
        });
      }
}

}  // namespace records
