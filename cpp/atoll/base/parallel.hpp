// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

/// The thread team: the only way to be parallel inside a rank.
///
///     team.run([&](int thread) { partial[thread] = work(thread); });            // every thread once
///     team.for_range(n, 4096, [&](int thread, std::size_t a, std::size_t b) {   // chunks, taken as they come
///       for (auto i = a; i < b; ++i) degree[i] = count(i);
///     });
///
/// The calling thread is thread 0. A region costs about a microsecond while the workers are awake. Workers spin
/// at most kSpins pauses, then yield, then sleep in the kernel, so more threads than cores do no harm. for_range does
/// not wait for a worker that has not begun when all chunks are taken, as where another program has its core.
/// An exception of any thread is thrown again by run(), after all threads have ended the region: the others leave it at
/// their next cancellation point, which the beginning of a region, each chunk of for_range and barrier() are.
namespace atl {

/// One round of waiting: first pauses, then yields as long as nobody else wants the core, then says that it is time to
/// sleep. Never yielding was measured 30 times slower with two ranks on one core. If a yield gives the core away for
/// long, as beside a program that never waits, all waits of this thread sleep at once for a while: there a yield costs
/// a time slice, and PageRank over 4 ranks took 9 times as long beside two such programs on two cores.
class Backoff {
 public:
  static constexpr int kSpins = 100;    // pauses; about 2 us
  static constexpr int kYields = 2000;  // yields; about 1 ms on an idle core
  /// Returns false once both are used up: now sleep.
  bool pause() {
    if (count_ < kSpins) {
      relax();
    } else if (count_ >= kSpins + kYields || !yield()) {
      return false;
    }
    ++count_;
    return true;
  }
  /// For a wait that no wake-up ends: never gives up, but yields longer and then sleeps by itself, shortly at first.
  void pause_or_sleep();
  void reset() { count_ = 0; }
  /// How long to sleep after `idle_s` without an event: a hundredth of it, so that polling adds little delay, and after
  /// seconds costs next to nothing.
  static double nap_s(double idle_s, double least_s = 0.001) {
    return std::clamp(idle_s / 100, least_s, kLongestNap_s);
  }
  static constexpr double kLongestNap_s = 0.05;
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

 private:
  /// False: others want the core, so a yield would give it away for long.
  static bool yield();

  int count_ = 0;
};

/// A lock for sections of a few hundred nanoseconds; yields when its holder does not run.
class SpinLock {
 public:
  bool try_lock() { return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire); }
  void lock() {
    for (Backoff backoff; !try_lock();) backoff.pause_or_sleep();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

/// A barrier for a fixed number of threads; sense by epoch.
class TeamBarrier {
 public:
  explicit TeamBarrier(int threads) : threads_(threads) {}
  /// False if a thread has failed: it will never come.
  bool wait();
  /// Releases all present and future waiters.
  void fail();
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  /// Whole again, once nobody is inside.
  void mend();

 private:
  const int threads_;
  std::atomic<bool> failed_{false};
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
};

class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return threads_; }
  /// Number of the calling thread in the team that runs it; 0 outside any region.
  static int this_thread();
  /// Gives a thread outside any team the number by which it finds its own state.
  static void name_this_thread(int number);

  /// Sets the function that thread 0 calls at cancellation points from now on, at most once in kAskEveryMs: it throws
  /// what is to end the work. An empty one: nothing. Outside regions.
  void ask_to_go_on(std::function<void()> ask);
  static constexpr std::int64_t kAskEveryMs = 50;
  /// Where work may end before its time; for loops that have none of their own. Serial code calls it as thread 0.
  void cancellation_point(int thread = 0) {
    if (barrier_.failed()) throw Left{};
    if (thread == 0 && ask_) ask();
  }

  /// Calls f(thread) once on every thread. Regions do not nest.
  template <class F>
  void run(F&& f) {
    cancellation_point();
    if (threads_ == 1) {
      f(0);
      return;
    }
    using G = std::remove_reference_t<F>;
    launch([](void* g, int thread) { (*static_cast<G*>(g))(thread); },
           const_cast<void*>(static_cast<const void*>(std::addressof(f))), Attendance::all);
  }

  /// Calls f(thread, begin, end) for chunks of at most `grain` that cover [0, n).
  template <class F>
  void for_range(std::size_t n, std::size_t grain, F&& f) {
    if (threads_ == 1 || n <= grain) {
      for (std::size_t a = 0; a < n; a += grain) {
        cancellation_point();
        f(0, a, std::min(n, a + grain));
      }
      return;
    }
    cancellation_point();
    std::atomic<std::size_t> next{0};
    auto take_chunks = [&](int thread) {
      // A thread must process a chunk it has taken: others may wait for its results.
      for (std::size_t a;; f(thread, a, std::min(n, a + grain))) {
        cancellation_point(thread);
        if ((a = next.fetch_add(grain, std::memory_order_relaxed)) >= n) return;
      }
    };
    launch([](void* g, int thread) { (*static_cast<decltype(take_chunks)*>(g))(thread); }, &take_chunks,
           Attendance::those_that_begin);
  }

  /// The part of [0, n) that is `thread`'s when everyone takes one contiguous piece, cut at multiples of `unit`.
  std::pair<std::size_t, std::size_t> share(int thread, std::size_t n, std::size_t unit = 1) const {
    const std::size_t blocks = (n + unit - 1) / unit, t = static_cast<std::size_t>(thread),
                      all = static_cast<std::size_t>(threads_);
    return {std::min(n, blocks * t / all * unit), std::min(n, blocks * (t + 1) / all * unit)};
  }

  /// All threads of a region meet; to be called inside run() by every thread. When one has thrown, the others leave
  /// the region here.
  void barrier() {
    if (threads_ > 1 && !barrier_.wait()) throw Left{};
  }

 private:
  struct Left {};  // thrown where another thread has failed: not an error of its own
  using Task = void (*)(void*, int);
  // Whether a region ends once every thread has ended it, or those that have begun by the time that thread 0 has ended.
  enum class Attendance { all, those_that_begin };
  void launch(Task task, void* argument, Attendance attendance);
  void work(int thread);
  bool begin(std::uint32_t epoch);
  void play(int thread);
  void ask();

  const int threads_;
  TeamBarrier barrier_;
  std::vector<std::thread> workers_;
  std::vector<std::exception_ptr> errors_;
  Task task_ = nullptr;
  void* argument_ = nullptr;
  std::atomic<bool> stop_{false};
  std::function<void()> ask_;
  std::int64_t next_ask_ms_ = 0;
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
  // Says of the present region its epoch, and below it how many workers have begun, or kClosed if no more may.
  static constexpr std::uint32_t kClosed = UINT32_MAX;
  alignas(64) std::atomic<std::uint64_t> gate_{kClosed};
  alignas(64) std::atomic<std::uint32_t> ended_{0};  // workers
};

/// Cores that this process may run on.
int usable_cores();

}  // namespace atl
