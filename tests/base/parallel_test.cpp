// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atoll/base/parallel.hpp>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace atl;

namespace {

const std::vector<int> kThreads = {1, 2, 3, 4, 8};

std::atomic<bool> held{false}, arrived{false};

// Keeps the thread that it interrupts until `held` is false.
extern "C" void hold(int) {
  arrived = true;
  while (held) {
  }
}

}  // namespace

TEST_CASE("run calls every thread once and knows its number") {
  for (const int threads : kThreads) {
    CAPTURE(threads);
    Team team(threads);
    CHECK(team.size() == threads);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(threads));
      std::atomic<int> misnamed{0};
      team.run([&](int thread) {
        ++calls[static_cast<std::size_t>(thread)];
        misnamed += Team::this_thread() != thread;
      });
      for (const auto& c : calls) CHECK(c == 1);
      CHECK(misnamed == 0);
    }
    CHECK(Team::this_thread() == 0);
  }
}

TEST_CASE("a team of size 0 has one thread") {
  CHECK(Team(0).size() == 1);
  CHECK(Team(-3).size() == 1);
}

TEST_CASE("for_range covers every position once, in chunks no longer than the grain") {
  for (const int threads : kThreads) {
    Team team(threads);
    for (const std::size_t grain : {1u, 7u, 64u, 1000u})
      for (const std::size_t n :
           {std::size_t{0}, std::size_t{1}, grain - 1, grain, grain + 1, 2 * grain, std::size_t{2003}}) {
        std::vector<std::atomic<int>> hits(n);
        std::atomic<bool> good{true};
        team.for_range(n, grain, [&](int thread, std::size_t a, std::size_t b) {
          if (a >= b || b > n || b - a > grain || thread < 0 || thread >= threads) good = false;
          for (std::size_t i = a; i < b; ++i) ++hits[i];
        });
        const bool exact = std::all_of(hits.begin(), hits.end(), [](const auto& h) { return h == 1; });
        CAPTURE(threads);
        CAPTURE(grain);
        CAPTURE(n);
        CHECK(good);
        CHECK(exact);
      }
  }
}

TEST_CASE("shares are consecutive, cover the range, and are cut at multiples of the unit") {
  for (const int threads : kThreads) {
    const Team team(threads);
    for (const std::size_t unit : {1u, 3u, 64u})
      for (const std::size_t n : {0u, 1u, 2u, 63u, 64u, 65u, 1000u, 4097u}) {
        std::size_t end = 0;
        for (int t = 0; t < threads; ++t) {
          const auto [a, b] = team.share(t, n, unit);
          CHECK(a == end);
          CHECK(b >= a);
          CHECK_UNARY(b == n || b % unit == 0);
          end = b;
        }
        CHECK(end == n);
      }
  }
}

TEST_CASE("no thread passes a barrier before the last has reached it") {
  for (const int threads : kThreads) {
    Team team(threads);
    constexpr int kRounds = 200;
    std::atomic<int> come{0}, early{0};
    team.run([&](int) {
      for (int round = 1; round <= kRounds; ++round) {
        ++come;
        team.barrier();
        early += come.load() < round * threads;
        team.barrier();
      }
    });
    CHECK(come == kRounds * threads);
    CHECK(early == 0);
  }
}

TEST_CASE("an exception of any thread is thrown after all threads have left the region, and the team stays usable") {
  for (const int threads : kThreads) {
    Team team(threads);
    for (int bad = 0; bad < threads; ++bad) {
      std::atomic<int> done{0};
      CHECK_THROWS_WITH_AS(team.run([&](int thread) {
        if (thread == bad) throw std::runtime_error("thread " + std::to_string(bad));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        ++done;
      }),
                           ("thread " + std::to_string(bad)).c_str(), std::runtime_error);
      CHECK(done == threads - 1);
    }
    std::atomic<int> calls{0};
    team.run([&](int) { ++calls; });
    CHECK(calls == threads);
  }
}

TEST_CASE("of several exceptions, that of the lowest thread is thrown") {
  Team team(4);
  CHECK_THROWS_WITH(team.run([](int thread) { throw std::runtime_error(std::to_string(thread)); }), "0");
  CHECK_THROWS_WITH(team.for_range(1000, 1,
                                   [](int thread, std::size_t, std::size_t) {
                                     if (thread >= 0) throw std::runtime_error("all");
                                   }),
                    "all");
}

TEST_CASE("a thread that throws leaves no other thread waiting at a barrier") {
  for (const int threads : {2, 3, 4, 8}) {
    CAPTURE(threads);
    Team team(threads);
    for (int bad = 0; bad < threads; ++bad) {
      std::atomic<int> passed{0};
      CHECK_THROWS_WITH_AS(team.run([&](int thread) {
        team.barrier();  // all threads reach this one
        if (thread == bad) throw std::runtime_error("gone");
        team.barrier();
        ++passed;
      }),
                           "gone", std::runtime_error);
      CHECK(passed == 0);
    }
    // The next region has an intact barrier again.
    std::atomic<int> come{0}, early{0};
    team.run([&](int) {
      ++come;
      team.barrier();
      early += come.load() < threads;
    });
    CHECK(early == 0);
  }
}

TEST_CASE("the caller can cancel endless work on all threads, and the team stays usable") {
  for (const int threads : kThreads) {
    CAPTURE(threads);
    Team team(threads);
    const auto ends = [&](auto&& work) {
      int asked = 0;
      team.ask_to_go_on([&] {
        if (++asked == 2) throw std::runtime_error("enough");
      });
      CHECK_THROWS_WITH_AS(work(), "enough", std::runtime_error);
      CHECK(asked == 2);
      team.ask_to_go_on({});
    };
    ends([&] { team.for_range(SIZE_MAX / 2, 1, [](int, std::size_t, std::size_t) {}); });
    ends([&] {
      for (;;) team.run([](int) {});
    });
    ends([&] {
      team.run([&](int thread) {
        for (;;) team.cancellation_point(thread);
      });
    });
    ends([&] {
      for (;;) team.cancellation_point();
    });
    std::atomic<int> calls{0};
    team.for_range(100, 1, [&](int, std::size_t, std::size_t) { ++calls; });
    CHECK(calls == 100);
  }
}

TEST_CASE("a chunk that was started is finished even if others leave, so threads that wait for its turn continue") {
  for (const int threads : kThreads) {
    CAPTURE(threads);
    Team team(threads);
    for (const std::size_t wrong : {0, 7, 500}) {
      std::atomic<std::size_t> turn{0};
      CHECK_THROWS_AS(team.for_range(1 << 20, 1,
                                     [&](int, std::size_t a, std::size_t b) {
                                       while (turn != a) std::this_thread::yield();
                                       turn = b;
                                       if (a == wrong) throw std::runtime_error("wrong");
                                     }),
                      std::runtime_error);
      CHECK(turn > wrong);
      CHECK(turn < 1 << 20);  // the other threads have left
    }
  }
}

TEST_CASE("for_range does not wait for a thread that has not begun, and that joins a later region") {
  struct sigaction holding {
  }, before{};
  holding.sa_handler = hold;
  REQUIRE(sigaction(SIGUSR1, &holding, &before) == 0);
  Team team(3);
  for (int round = 0; round < 20; ++round) {
    pthread_t late{};
    team.run([&](int thread) {
      if (thread == 2) late = pthread_self();
    });
    held = true;
    arrived = false;
    REQUIRE(pthread_kill(late, SIGUSR1) == 0);
    while (!arrived) std::this_thread::yield();
    for (int region = 0; region < 5; ++region) {
      std::atomic<int> chunks{0};
      std::atomic<bool> by_late{false};
      team.for_range(1000, 10, [&](int thread, std::size_t, std::size_t) {
        ++chunks;
        if (thread == 2) by_late = true;
      });
      CHECK(chunks == 100);
      CHECK(!by_late);
    }
    held = false;
    std::vector<std::atomic<int>> calls(3);
    team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
    for (const auto& c : calls) CHECK(c == 1);
  }
  REQUIRE(sigaction(SIGUSR1, &before, nullptr) == 0);
}

TEST_CASE("threads that come late to many short regions neither miss a chunk nor do one twice") {
  Team team(8);
  for (int region = 0; region < 20000; ++region) {
    const std::size_t n = 2 + static_cast<std::size_t>(region % 7);
    std::atomic<std::uint64_t> sum{0};  // gone after the region
    team.for_range(n, 1, [&](int, std::size_t a, std::size_t) { sum += std::uint64_t{1} << (8 * a); });
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) expected += std::uint64_t{1} << (8 * i);
    REQUIRE(sum == expected);
  }
}

TEST_CASE("several teams run at once, each with more threads than cores") {
  std::vector<std::thread> ranks;
  std::vector<long> sums(4);
  for (std::size_t r = 0; r < sums.size(); ++r)
    ranks.emplace_back([&, r] {
      Team team(3);
      for (int round = 0; round < 30; ++round) {
        std::atomic<long> sum{0};
        team.for_range(1000, 10, [&](int, std::size_t a, std::size_t b) {
          for (std::size_t i = a; i < b; ++i) sum += static_cast<long>(i);
        });
        sums[r] += sum;
      }
    });
  for (auto& t : ranks) t.join();
  for (const long sum : sums) CHECK(sum == 30L * 999 * 1000 / 2);
}

TEST_CASE("a spin lock lets one thread in at a time") {
  Team team(4);
  SpinLock lock;
  long plain = 0;
  team.run([&](int) {
    for (int i = 0; i < 2000; ++i) {
      std::lock_guard hold(lock);
      ++plain;
    }
  });
  CHECK(plain == 8000);
  CHECK(lock.try_lock());
  CHECK_FALSE(lock.try_lock());
  lock.unlock();
}

TEST_CASE("backoff ends in sleep, and starts again after a reset") {
  Backoff backoff;
  int rounds = 0;
  while (backoff.pause()) ++rounds;
  CHECK(rounds >= Backoff::kSpins);
  CHECK(rounds <= Backoff::kSpins + Backoff::kYields);
  backoff.reset();
  CHECK(backoff.pause());
}

TEST_CASE("a waiting thread beside a busy program soon sleeps") {
  std::atomic<bool> runs{false}, stop{false};
  const auto on_one_core = [](auto&& f) {
    return std::thread([f] {
      cpu_set_t all, one;
      CPU_ZERO(&one);
      REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
      for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
        if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
      REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
      f();
    });
  };
  std::thread other = on_one_core([&] {
    for (runs = true; !stop.load(std::memory_order_relaxed);) Backoff::relax();
  });
  while (!runs) std::this_thread::yield();
  std::thread waits = on_one_core([&] {
    const auto began = std::chrono::steady_clock::now();
    Backoff backoff;
    while (backoff.pause()) {
    }
    // One time slice; a yield for each of kYields would take seconds.
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(1));
  });
  waits.join();
  stop = true;
  other.join();
}

TEST_CASE("a process can use at least one core") { CHECK(usable_cores() >= 1); }

TEST_CASE("the calling thread keeps its cores, and the others get none that it may not run on") {
  cpu_set_t before, after;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  Team team(3);
  std::vector<cpu_set_t> cores(3);
  for (int turn = 0; turn < 200; ++turn)
    team.run([&](int thread) {
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
      while (std::chrono::steady_clock::now() < deadline) {
      }
      sched_getaffinity(0, sizeof cores[0], &cores[static_cast<std::size_t>(thread)]);
    });
  REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_EQUAL(&before, &after));
  for (const cpu_set_t& of_thread : cores) {
    cpu_set_t both;
    CPU_AND(&both, &of_thread, &before);
    CHECK(CPU_EQUAL(&both, &of_thread));
    CHECK(CPU_COUNT(&of_thread) > 0);
  }
}
