// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/queue/queue.hpp>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "quick_plan.hpp"
#include "runtime/aggregation/exchange.hpp"

using namespace atl;

TEST_CASE("progress of the communication thread is not a stall for a waiting thread") {
  Plan plan = quick("thread");
  plan.stall_seconds = 0.4;
  std::atomic<int> stalls{0};
  World::Options options;
  options.log = Log([&](LogLevel level, std::string_view text) {
    stalls += level == LogLevel::warn && text.find("rank 1 has made no progress") != text.npos;
  });
  run_ranks(
      2, plan,
      [&](World& world) {
        Queue queue(world);
        Request r;
        if (world.rank() == 0) {
          for (int i = 0; i < 50; ++i) {
            while (!queue.send(1, 0, {}, r)) {
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
          while (!queue.send(1, 1, {}, r)) {
          }
        } else {
          world.wait_until("a test: fifty messages",
                           [&] { return queue.describe().find("51 messages wait") != std::string::npos; });
          Message m;
          for (int i = 0; i < 51; ++i) {
            while (!queue.receive(m, r)) {
            }
            queue.release(m);
          }
        }
      },
      options);
  CHECK(stalls == 0);
}

TEST_CASE("a refused sender's stall is reported once, with the depths") {
  Plan plan = quick();
  plan.stall_seconds = 0.05;
  std::mutex mutex;
  std::vector<std::string> lines;
  World::Options options;
  options.log = Log([&](LogLevel level, std::string_view text) {
    std::lock_guard hold(mutex);
    if (level == LogLevel::warn && text.find("has been refused") != text.npos) lines.emplace_back(text);
  });
  std::atomic<bool> over{false};
  run_ranks(
      2, plan,
      [&](World& world) {
        Queue queue(world);
        if (world.rank() == 0) {
          const auto text = text_of(0, 0, 100);
          Request r;
          auto reported = [&] {
            std::lock_guard hold(mutex);
            return !lines.empty();
          };
          while (!reported()) static_cast<void>(queue.send(1, 0, text, r));
          for (int i = 0; i < 20000; ++i) static_cast<void>(queue.send(1, 0, text, r));
          over = true;
        } else {
          while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        world.barrier();
      },
      options);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("to rank 1") != std::string::npos);
  CHECK(lines[0].find("backlog") != std::string::npos);
}
