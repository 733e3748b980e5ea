// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/engine/neighbor_alltoallv.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/topology/machine.hpp>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "shapes.hpp"

using namespace atl;

namespace {

std::uint64_t number_in(std::span<const std::byte> part) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < part.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t one;
    std::memcpy(&one, part.data() + at, sizeof one);
    sum += one;
  }
  return sum;
}

Plan plan_of(const std::string& exchange, int threads) {
  Plan plan;
  plan.threads = threads;
  plan.exchange = exchange;
  plan.ring_bytes = 4096;
  return plan;
}

}  // namespace

// Rank 0 sends to the others and receives nothing; they announce each round to it. Nothing of that may stay.
TEST_CASE("an exchange that goes one way only") {
  constexpr std::uint64_t kRounds = 3000;
  for (const char* exchange : {"mailbox", "queue"})
    for (const Rank ranks : {2, 3})
      for (const int threads : {1, 2}) {
        CAPTURE(exchange);
        CAPTURE(ranks);
        CAPTURE(threads);
        run_ranks(ranks, plan_of(exchange, threads), [&](World& world) {
          const auto size = static_cast<std::size_t>(world.size());
          std::vector<std::size_t> to(size, 0), from(size, 0);
          if (world.rank() == 0) {
            to.assign(size, 2);
            to[0] = 0;
          } else {
            from[0] = 2;
          }
          NeighborAlltoallv alltoallv(world, NeighborAlltoallv::capacity_for(world, 0), to, from);
          std::uint64_t wrong = 0;
          for (std::uint64_t round = 1; round <= kRounds; ++round) {
            std::atomic<std::uint64_t> sum{0};
            alltoallv.exchange(
                [&](int, NeighborAlltoallv::Writer& writer, Rank, std::size_t) {
                  std::memcpy(writer.reserve(sizeof round), &round, sizeof round);
                  writer.commit(sizeof round);
                },
                [&](Rank, std::span<const std::byte> part) { sum += number_in(part); });
            wrong += sum != (world.rank() == 0 ? 0 : 2 * round);
            if (round % 1000 == 0) world.barrier();
          }
          CHECK(wrong == 0);
          CHECK(alltoallv.memory_bytes() == 0);
        });
      }
}

// A message by rendezvous leaves only while its sender makes progress: a round must not end before.
TEST_CASE("what a round has sent arrives although its sender calls nothing afterwards") {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  for (const char* exchange : {"mailbox", "queue"}) {
    CAPTURE(exchange);
    std::atomic<bool> arrived{false}, in_time{false};
    run_ranks(2, plan_of(exchange, 1), [&](World& world) {
      const std::size_t capacity = NeighborAlltoallv::capacity_for(world, kBytes), piece = capacity / 16 * 8;
      const std::vector<std::size_t> there{world.rank() == 0 ? 0u : 2u, world.rank() == 0 ? 2u : 0u};
      NeighborAlltoallv alltoallv(world, capacity, there, there);
      if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::atomic<std::size_t> bytes{0};
      alltoallv.exchange(
          [&](int, NeighborAlltoallv::Writer& writer, Rank, std::size_t) {
            std::memset(writer.reserve(piece), 1, piece);
            writer.commit(piece);
          },
          [&](Rank, std::span<const std::byte> part) { bytes += part.size(); });
      CHECK(bytes == 2 * piece);
      if (world.rank() == 1) arrived = true;
      for (int k = 0; world.rank() == 0 && !arrived && k < 20'000; ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (world.rank() == 0) in_time = arrived.load();
    });
    CHECK(in_time);
  }
}

// 4 MB to each of three peers over the links of nodes of two. A slot holds several blocks, and many are in flight.
TEST_CASE("long messages arrive whole in virtual time, at the rate of the links") {
  constexpr std::size_t kItems = 512, kPiece = 1024;
  const Machine machine = *machine_preset("a800");
  constexpr double kAcross = 2 * 2 * kItems * kPiece * sizeof(std::uint64_t);  // of a node's two ranks, to two each
  run_virtual(Hierarchy::parse("2x2"), machine, {}, [&](World& world) {
    const auto me = static_cast<std::size_t>(world.rank());
    const std::size_t capacity = NeighborAlltoallv::capacity_for(world, kItems * kPiece * sizeof(std::uint64_t));
    CHECK(capacity > world.payload_bytes());
    std::vector<std::size_t> items(4, kItems);
    items[me] = 0;
    NeighborAlltoallv alltoallv(world, capacity, items, items);
    for (std::uint64_t round = 1; round <= 3; ++round) {
      std::vector<std::uint64_t> sums(4);
      world.barrier();
      const double begin = world.now();
      alltoallv.exchange(
          [&](int, NeighborAlltoallv::Writer& writer, Rank to, std::size_t item) {
            std::byte* at = writer.reserve(kPiece * sizeof(std::uint64_t));
            for (std::size_t i = 0; i < kPiece; ++i) {
              const std::uint64_t value = round + 10 * static_cast<std::uint64_t>(to) + item;
              std::memcpy(at + i * sizeof value, &value, sizeof value);
            }
            writer.commit(kPiece * sizeof(std::uint64_t));
          },
          [&](Rank from, std::span<const std::byte> part) { sums[from] += number_in(part); });
      CHECK(world.now() - begin < 1.2 * kAcross / machine.cost.at(1).bytes_per_second + 400e-6);
      for (std::size_t from = 0; from < 4; ++from)
        CHECK(sums[from] == (from == me ? 0 : kPiece * (kItems * (round + 10 * me) + kItems * (kItems - 1) / 2)));
    }
  });
}
