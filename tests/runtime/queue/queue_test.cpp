// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/queue/queue.hpp>
#include <deque>
#include <utility>

#include "quick_plan.hpp"
#include "runtime/aggregation/exchange.hpp"

using namespace atl;

TEST_CASE("messages of every kind of size arrive whole, in order per sender, on any number of ranks") {
  const std::vector<std::size_t> sizes{0, 1, 8, 55, 56, 57, 511, 512, 513, 5000, 100000};
  for (const char* progress : {"inline", "thread"})
    for (const Rank ranks : {1, 2, 3, 5})
      for (const std::uint64_t seed : {0U, 1U, 7U}) {
        CAPTURE(progress);
        CAPTURE(ranks);
        CAPTURE(seed);
        Plan plan = quick(progress);
        plan.shuffle_seed = seed;
        run_ranks(ranks, plan, [&](World& world) { exchange(world, 60, sizes); });
      }
}

TEST_CASE("one packet, a ring of one message, one slot: slow, but it works") {
  Plan plan = quick();
  plan.packets = 1;
  plan.ring_bytes = 64;
  plan.slots_per_peer = 1;
  plan.slot_bytes = 128;
  for (const char* progress : {"inline", "thread"})
    for (const std::uint64_t seed : {0U, 5U}) {
      plan.progress = progress;
      plan.shuffle_seed = seed;
      run_ranks(3, plan, [&](World& world) { exchange(world, 40, {0, 56, 57, 300}); });
    }
}

TEST_CASE("several threads send and receive at once") {
  Plan plan = quick();
  plan.threads = 3;
  for (const char* progress : {"inline", "thread"}) {
    plan.progress = progress;
    run_ranks(2, plan, [&](World& world) {
      Queue queue(world);
      constexpr std::uint32_t kEach = 300;
      std::atomic<std::uint64_t> got{0}, broken{0}, sum{0};
      const std::uint64_t expected = 3 * kEach;
      world.team().run([&](int thread) {
        std::deque<std::pair<Message, std::unique_ptr<Request>>> open;
        auto receive = [&] {
          Message m;
          auto request = std::make_unique<Request>();
          if (queue.receive(m, *request)) open.emplace_back(m, std::move(request));
          while (!open.empty() && open.front().second->done()) {
            Message& first = open.front().first;
            broken += !is_whole(first);
            sum += first.tag;
            queue.release(first);
            open.pop_front();
            ++got;
          }
        };
        for (std::uint32_t i = 0; i < kEach; ++i) {
          const std::uint32_t tag = static_cast<std::uint32_t>(thread) * kEach + i;
          const auto text = text_of(world.rank(), tag, i % 7 == 0 ? 2000 : i % 100);
          Request sent;
          while (!queue.send(1 - world.rank(), tag, text, sent)) receive();
          while (!sent.done()) {
            receive();
            queue.progress();
          }
        }
        while (got < expected || !open.empty()) {
          receive();
          std::this_thread::yield();
        }
      });
      CHECK(broken == 0);
      CHECK(got == expected);
      CHECK(sum == expected * (expected - 1) / 2);
      world.barrier();
    });
  }
}

TEST_CASE("a receiver that keeps everything makes its sender retry, and control still flows") {
  Plan plan = quick();
  for (const char* progress : {"inline", "thread"}) {
    plan.progress = progress;
    run_ranks(2, plan, [&](World& world) {
      Queue queue(world);
      const auto large = text_of(world.rank(), 1, 50000);
      if (world.rank() == 0) {
        // Sends until permanently refused.
        std::uint32_t sent = 0;
        const auto text = text_of(0, 0, 100);
        Request r;
        for (int refusals = 0; refusals < 2000;) {
          if (queue.send(1, 0, text, r)) {
            ++sent;
            refusals = 0;
          } else {
            ++refusals;
            std::this_thread::yield();
          }
          if (sent > 100000) break;
        }
        CHECK(sent >= 4096 / 128);
        CHECK(sent < 1000);
        const auto retries = queue.retries();
        CHECK(retries[static_cast<std::size_t>(Retry::backlog)] > 0);
        // The other's rendezvous still completes.
        Message m;
        Request came;
        while (!queue.receive(m, came)) std::this_thread::yield();
        queue.wait(came);
        CHECK(is_whole(m));
        queue.release(m);
        const std::uint32_t all = world.sum(sent);
        CHECK(all == sent);
      } else {
        std::vector<Message> kept;
        Request sent, r;
        while (!queue.send(0, 1, large, sent)) {
        }
        const auto keep = [&] {
          kept.emplace_back();
          if (!queue.receive(kept.back(), r)) kept.pop_back();
        };
        while (!sent.done()) keep();
        const std::uint32_t all = world.sum(0U);
        while (kept.size() < all) {
          keep();
          if (kept.size() > 20) {  // the ring was full of kept messages: release them to get the rest
            for (Message& m : kept) {
              CHECK(is_whole(m));
              queue.release(m);
            }
            CHECK(kept.size() <= all);
            break;
          }
        }
      }
      world.barrier();
      CHECK(world.counters().memory_bytes < (2U << 20));
    });
  }
}

TEST_CASE("64 ranks flood one") {
  Plan plan = quick();
  plan.slot_bytes = 256;
  plan.ring_bytes = 1024;
  plan.eager_bytes = 128;
  plan.packets = 16;
  run_ranks(64, plan, [&](World& world) {
    Queue queue(world);
    constexpr std::uint32_t kEach = 200;
    if (world.rank() == 0) {
      std::uint64_t got = 0, broken = 0;
      while (got < 63ULL * kEach) {
        Message m;
        Request r;
        if (!queue.receive(m, r)) {
          queue.wait_for_message();
          continue;
        }
        queue.wait(r);
        broken += !is_whole(m);
        queue.release(m);
        ++got;
      }
      CHECK(broken == 0);
      CHECK(world.counters().memory_bytes < 64U * 64 * 1024);
    } else {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        const auto text = text_of(world.rank(), i, i % 50 == 0 ? 1000 : 64);
        Request r;
        Backoff backoff;
        while (!queue.send(0, i, text, r))
          if (!backoff.pause()) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            backoff.reset();
          }
        queue.wait(r);
      }
    }
    world.barrier();
  });
}

TEST_CASE("many short messages at once keep their order, and so do those of several queues") {
  run_ranks(2, quick(), [&](World& world) {
    Queue first(world), second(world);
    constexpr std::uint32_t kMessages = 5000;
    if (world.rank() == 0) {
      std::vector<std::uint64_t> words(kMessages);
      std::vector<Queue::Short> batch;
      for (std::uint32_t i = 0; i < kMessages; ++i) {
        words[i] = i;
        batch.push_back({reinterpret_cast<const std::byte*>(&words[i]), i % 2 ? 8U : 0U, i});
      }
      for (std::size_t done = 0; done < batch.size();) {
        done += first.send_many(1, std::span(batch).subspan(done));
        Request r;
        if (done < batch.size()) static_cast<void>(second.send(1, 7, std::as_bytes(std::span(words).first(1)), r));
      }
    } else {
      std::uint32_t next = 0, others = 0;
      Message batch[50];
      Request r;
      while (next < kMessages) {
        const std::size_t n = first.receive_many(batch, r);
        for (std::size_t i = 0; i < n; ++i) {
          if (batch[i].tag != next) FAIL("message ", batch[i].tag, " instead of ", next);
          CHECK(batch[i].bytes == (next % 2 ? 8U : 0U));
          ++next;
          first.release(batch[i]);
        }
        Message m;
        if (second.receive(m, r)) {
          CHECK(m.tag == 7);
          ++others;
          second.release(m);
        }
      }
      CHECK(next == kMessages);
    }
    world.barrier();
  });
}

TEST_CASE("one receiver beside the communication thread gets each sender's messages in order") {
  Plan plan = quick("thread");
  plan.ring_bytes = 1 << 16;
  run_ranks(2, plan, [&](World& world) {
    Queue queue(world);
    constexpr std::uint32_t kMessages = 100000;
    Request r;
    if (world.rank() == 0) {
      for (std::uint32_t i = 0; i < kMessages; ++i)
        while (!queue.send(1, i, {}, r)) std::this_thread::yield();
    } else {
      std::uint32_t disordered = 0;
      for (std::uint32_t next = 0; next < kMessages;) {
        Message m;
        if (!queue.receive(m, r)) continue;
        disordered += m.tag != next++;
        queue.release(m);
      }
      CHECK(disordered == 0);
    }
    world.barrier();
  });
}

TEST_CASE("closing a queue while messages are in flight stops nothing else") {
  for (const char* progress : {"inline", "thread"}) {
    CAPTURE(progress);
    Plan plan = quick(progress);
    plan.timeout_seconds = 10;
    std::vector<std::byte> memory(40000);
    run_ranks(2, plan, [&](World& world) {
      QueueOptions options;
      options.allocate = [&](std::size_t) { return memory.data(); };
      options.free = [](std::byte*, std::size_t) {};
      auto first = std::make_unique<Queue>(world, options);
      Queue second(world);
      const auto large = text_of(0, 0, memory.size()), text = text_of(0, 1, 100);
      Request sent, r;
      Message m;
      if (world.rank() == 0) {
        while (!first->send(1, 0, large, sent)) {
        }
        for (int i = 0; i < 5; ++i)
          while (!first->send(1, 1, text, r)) {
          }
        while (!second.send(1, 1, text, r)) {
        }
      } else {
        while (!first->receive(m, sent)) {
        }
        first.reset();  // before the pieces have arrived, and with five unread messages
        while (!second.receive(m, r)) {
        }
        CHECK(is_whole(m));
        second.release(m);
      }
      for (int i = 0; i < 10; ++i) world.barrier();
      if (world.rank() == 0) first->wait(sent);
      world.barrier();
    });
  }
}

TEST_CASE("a message that the queue refuses is not overtaken by the next one of its sender") {
  // Ranks without rings, whose messages arrive by poll, several at a time.
  run_virtual(Hierarchy::flat(2), Cost::paper(1), quick(), [](World& world) {
    struct Seen {
      std::vector<std::uint32_t> tags;
      bool refused = false;
    } seen;
    World::MessageSink sink;
    sink.context = &seen;
    sink.take = [](void* self, const Packet& packet) {
      Seen& s = *static_cast<Seen*>(self);
      if (packet.note.tag == 1 && !std::exchange(s.refused, true)) return World::Taken::no;  // accepted the second time
      s.tags.push_back(packet.note.tag);
      return World::Taken::done;
    };
    const std::vector<std::uint32_t> sent{0, 1, 2, 3, 4};
    int number = -1;
    if (world.rank() == 0) {
      number = world.open_messages(sink);
      for (const std::uint32_t tag : sent)
        while (world.fabric().send(1, Traffic::message, {tag, static_cast<std::uint8_t>(number << 4)}, {}) != Busy::no)
          world.progress();
    }
    world.barrier();  // all have arrived before rank 1 opens
    if (world.rank() == 1) {
      number = world.open_messages(sink);
      world.wait_until("test: five messages", [&] { return seen.tags.size() == sent.size(); });
      CHECK(seen.refused);
      CHECK(seen.tags == sent);
    }
    world.barrier();
    world.close_messages(number);
  });
}
