// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <atoll/runtime/queue/queue.hpp>

#include "quick_plan.hpp"
#include "runtime/aggregation/exchange.hpp"

using namespace atl;

TEST_CASE("a receiver without memory gets a retry, and the message is still there later") {
  run_ranks(2, quick(), [&](World& world) {
    bool none = true;
    std::size_t freed = 0;
    QueueOptions options;
    options.allocate = [&](std::size_t bytes) { return none ? nullptr : new std::byte[bytes]; };
    options.free = [&](std::byte* memory, std::size_t bytes) {
      freed += bytes;
      delete[] memory;
    };
    Queue queue(world, options);
    const auto first = text_of(0, 0, 10000), second = text_of(0, 1, 5);
    if (world.rank() == 0) {
      Request a, b;
      while (!queue.send(1, 0, first, a)) {
      }
      while (!queue.send(1, 1, second, b)) {
      }
      queue.wait(a);
    } else {
      Message m;
      Request r;
      queue.wait_for_message();
      Outcome o;
      for (int i = 0; i < 5; ++i) {
        o = queue.receive(m, r);
        CHECK(o.retry());
        CHECK(o.reason == Retry::no_memory);
      }
      none = false;
      o = queue.receive(m, r);
      CHECK(o.posted());
      queue.wait(r);
      CHECK(m.tag == 0);
      CHECK(is_whole(m));
      queue.release(m);
      CHECK(freed == 10000);
      while (!queue.receive(m, r)) {
      }
      CHECK(m.tag == 1);
      queue.release(m);
    }
    world.barrier();
  });
}

TEST_CASE("an allocator that throws loses no message") {
  run_ranks(2, quick(), [&](World& world) {
    bool none = true;
    QueueOptions options;
    options.allocate = [&](std::size_t bytes) -> std::byte* {
      if (none) throw std::bad_alloc();
      return new std::byte[bytes];
    };
    options.free = [](std::byte* memory, std::size_t) { delete[] memory; };
    Queue queue(world, options);
    const auto text = text_of(0, 0, 10000);
    Request r;
    if (world.rank() == 0) {
      while (!queue.send(1, 0, text, r)) {
      }
      queue.wait(r);
    } else {
      Message m;
      queue.wait_for_message();
      CHECK_THROWS_AS(static_cast<void>(queue.receive(m, r)), std::bad_alloc);
      none = false;
      REQUIRE(queue.receive(m, r).posted());
      queue.wait(r);
      CHECK(is_whole(m));
      queue.release(m);
    }
    world.barrier();
  });
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a message of 3 GiB") {
  constexpr std::size_t kBytes = std::size_t{3} << 30, kStep = std::size_t{1} << 20;
  Plan plan = quick();
  plan.slot_bytes = 1 << 20;
  run_ranks(2, plan, [&](World& world) {
    auto reserve = [&](std::size_t bytes) {
      void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      REQUIRE(at != MAP_FAILED);
      return static_cast<std::byte*>(at);
    };
    QueueOptions options;
    options.allocate = reserve;
    options.free = [](std::byte* memory, std::size_t bytes) { munmap(memory, bytes); };
    Queue queue(world, options);
    Request r;
    if (world.rank() == 0) {
      // Pages that are only read share one page of zeros.
      std::byte* source = reserve(kBytes);
      for (std::size_t at = 0; at < kBytes; at += kStep) std::memcpy(source + at + 13, &at, sizeof at);
      while (!queue.send(1, 3, {source, kBytes}, r)) {
      }
      queue.wait(r);
      munmap(source, kBytes);
    } else {
      Message m;
      queue.wait_for_message();
      REQUIRE(queue.receive(m, r).posted());
      queue.wait(r);
      CHECK(m.bytes == kBytes);
      std::size_t wrong = 0;
      for (std::size_t at = 0; at < kBytes; at += kStep) {
        std::size_t there = 0;
        std::memcpy(&there, m.data + at + 13, sizeof there);
        wrong += there != at;
      }
      CHECK(wrong == 0);
      queue.release(m);
    }
    world.barrier();
  });
}
#endif
