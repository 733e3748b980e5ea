// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <atoll/base/parallel.hpp>
#include <atoll/base/start_thread.hpp>
#include <chrono>

namespace atl {
namespace {

using Clock = std::chrono::steady_clock;

// Set once when a worker starts; a rank's own thread keeps 0.
thread_local int t_thread = 0;

// A yield that takes so long gave the core to somebody who keeps it; then it is tried again after a while, which doubles
// each time, until yields have been short for a while. A core that is crowded once, as when a program starts, is soon
// free again: with 100 ms at once, a quarter of the searches of 0.15 ms took 0.3, as each wait slept.
constexpr std::chrono::microseconds kLongYield(50), kCrowdedAtFirst(500), kCrowded(100'000);
constexpr int kShortYields = 1000;  // about half a millisecond of waiting
struct Crowd {
  Clock::time_point until{};
  std::chrono::microseconds next = kCrowdedAtFirst;
  int short_yields = 0;
};
thread_local Crowd t_crowd;

// Where thread 0 was when the others were last kept away from its core.
struct Home {
  int core = -1;
  bool keeps_off = false;
  Clock::time_point since{}, open_until{};
};
thread_local Home t_home;

void restrict_to(std::vector<std::thread>& threads, const cpu_set_t& cores) {
  for (std::thread& thread : threads) pthread_setaffinity_np(thread.native_handle(), sizeof cores, &cores);
}

// Keeps the other threads off the core of the calling thread 0, wherever it is now; they may run on all others that it
// may run on. Else the kernel wakes them on the core of whoever wakes them, and there they stay for seconds, though
// others are idle: a thread that runs, yields and runs is never one that it moves. A search of 0.11 ms took 0.2 to 0.35.
void keep_off_this_core(std::vector<std::thread>& others) {
  constexpr std::chrono::milliseconds kAtMostEvery(1);
  const int core = sched_getcpu();
  if (core == t_home.core || core < 0) return;
  const auto now = Clock::now();
  if (now - t_home.since < kAtMostEvery || now < t_home.open_until) return;
  t_home = {.core = core, .since = now};
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return;
  if (static_cast<std::size_t>(CPU_COUNT(&cores)) <= others.size()) return;  // some share one anyway
  CPU_CLR(core, &cores);
  restrict_to(others, cores);
  t_home.keeps_off = true;
}

// Whether the threads that thread 0 waits for do not run, because other programs have their cores.
class Starvation {
 public:
  explicit Starvation(std::vector<std::thread>& others) : others_(others) {}

  // To be called again and again while thread 0 waits, until it returns true: it has seen whether they run. If they do
  // not, it brings them here, and lets them run anywhere for a while.
  bool look() {
    constexpr std::chrono::microseconds kLook(200);
    if (seen_ || !t_home.keeps_off) return true;
    const auto now = Clock::now();
    if (since_ == Clock::time_point()) {
      since_ = now;
      ran_before_ = ran();
      return false;
    }
    const auto waited = now - since_;
    if (waited < kLook) return false;
    seen_ = true;
    if (ran() - ran_before_ < waited / 2) bring_here(now);
    return true;
  }

 private:
  std::chrono::nanoseconds ran() const {
    std::chrono::nanoseconds sum(0);
    for (std::thread& other : others_) {
      clockid_t clock;
      timespec time{};
      if (pthread_getcpuclockid(other.native_handle(), &clock) != 0 || clock_gettime(clock, &time) != 0) continue;
      sum += std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
    return sum;
  }
  void bring_here(Clock::time_point now) {
    cpu_set_t all, here;
    const int core = sched_getcpu();
    if (core < 0 || sched_getaffinity(0, sizeof all, &all) != 0) return;
    CPU_ZERO(&here);
    CPU_SET(core, &here);
    restrict_to(others_, here);
    restrict_to(others_, all);
    t_home = {.open_until = now + kCrowded};
  }

  std::vector<std::thread>& others_;
  bool seen_ = false;
  Clock::time_point since_{};
  std::chrono::nanoseconds ran_before_{};
};

void end(std::atomic<bool>& stop, std::atomic<std::uint32_t>& epoch, std::vector<std::thread>& workers) {
  stop = true;
  epoch.fetch_add(1, std::memory_order_release);
  epoch.notify_all();
  for (auto& w : workers) w.join();
}

// Takes the time of the kernel's last tick: it costs a tenth of the exact time, which a short chunk would feel.
std::int64_t coarse_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

bool Backoff::yield() {
  const auto before = Clock::now();
  if (before < t_crowd.until) return false;
  std::this_thread::yield();
  const auto after = Clock::now();
  if (after - before < kLongYield) {
    if (++t_crowd.short_yields == kShortYields) t_crowd.next = kCrowdedAtFirst;
    return true;
  }
  t_crowd = {.until = after + t_crowd.next, .next = std::min(2 * t_crowd.next, kCrowded)};
  return true;  // much may have happened meanwhile
}

void Backoff::pause_or_sleep() {
  constexpr int kLongest = kSpins + 1'000'000;  // rounds without sleep: about half a second
  constexpr std::chrono::microseconds kShort(20), kLong(1000);
  if (count_ < kSpins) {
    relax();
  } else if (count_ >= kLongest || !yield()) {
    std::this_thread::sleep_for(count_ < kLongest ? kShort : kLong);
    count_ += 1000;
  }
  count_ = std::min(count_ + 1, kLongest);
}

int Team::this_thread() { return t_thread; }

void Team::name_this_thread(int number) { t_thread = number; }

bool TeamBarrier::wait() {
  const std::uint32_t epoch = epoch_.load(std::memory_order_acquire);
  if (failed_.load(std::memory_order_relaxed)) return false;
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    epoch_.store(epoch + 1, std::memory_order_release);
    epoch_.notify_all();
    return true;
  }
  for (Backoff backoff; epoch_.load(std::memory_order_acquire) == epoch;)
    if (!backoff.pause()) epoch_.wait(epoch, std::memory_order_acquire);
  return !failed_.load(std::memory_order_relaxed);
}

void TeamBarrier::fail() {
  failed_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
}

void TeamBarrier::mend() {
  arrived_.store(0, std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
}

Team::Team(int threads) : threads_(threads < 1 ? 1 : threads), barrier_(threads_) {
  errors_.resize(static_cast<std::size_t>(threads_));
  t_home = {};
  workers_.reserve(static_cast<std::size_t>(threads_ - 1));
  try {
    for (int t = 1; t < threads_; ++t)
      workers_.push_back(start_thread(fmt::format("thread {} of {}", t + 1, threads_), [this, t] { work(t); }));
  } catch (...) {
    end(stop_, epoch_, workers_);
    throw;
  }
}

Team::~Team() {
  if (threads_ > 1) end(stop_, epoch_, workers_);
}

void Team::ask_to_go_on(std::function<void()> ask) {
  ask_ = std::move(ask);
  next_ask_ms_ = ask_ ? coarse_ms() + kAskEveryMs : 0;
}

void Team::ask() {
  if (coarse_ms() < next_ask_ms_) return;
  ask_();
  next_ask_ms_ = coarse_ms() + kAskEveryMs;
}

void Team::launch(Task task, void* argument, Attendance attendance) {
  keep_off_this_core(workers_);
  task_ = task;
  argument_ = argument;
  ended_.store(0, std::memory_order_relaxed);
  const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed) + 1;
  gate_.store(std::uint64_t{epoch} << 32, std::memory_order_release);
  epoch_.store(epoch, std::memory_order_release);
  epoch_.notify_all();
  play(0);
  auto awaited = static_cast<std::uint32_t>(threads_ - 1);
  if (attendance == Attendance::those_that_begin)
    awaited = static_cast<std::uint32_t>(gate_.exchange(std::uint64_t{epoch} << 32 | kClosed));
  constexpr std::chrono::microseconds kNap(20);
  std::uint32_t ended;
  Backoff backoff;
  Starvation starvation(workers_);
  for (int spins = 0; (ended = ended_.load(std::memory_order_acquire)) != awaited; ++spins) {
    const bool seen = spins >= Backoff::kSpins && starvation.look();
    if (backoff.pause()) continue;
    if (seen) {
      ended_.wait(ended, std::memory_order_acquire);
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }
  std::exception_ptr first;
  for (auto& e : errors_)
    if (auto error = std::exchange(e, nullptr); error && !first) first = error;
  if (!first) return;
  barrier_.mend();
  std::rethrow_exception(first);
}

void Team::play(int thread) {
  try {
    task_(argument_, thread);
  } catch (const Left&) {
  } catch (...) {
    errors_[thread] = std::current_exception();
    barrier_.fail();
  }
}

// False if the region of this epoch takes no more workers: what it works on may be gone.
bool Team::begin(std::uint32_t epoch) {
  std::uint64_t gate = gate_.load(std::memory_order_relaxed);
  do {
    if (gate >> 32 != epoch || static_cast<std::uint32_t>(gate) == kClosed) return false;
  } while (!gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire, std::memory_order_relaxed));
  return true;
}

void Team::work(int thread) {
  t_thread = thread;
  std::uint32_t seen = 0;
  for (;;) {
    std::uint32_t epoch;
    for (Backoff backoff; (epoch = epoch_.load(std::memory_order_acquire)) == seen;)
      if (!backoff.pause()) epoch_.wait(seen, std::memory_order_acquire);
    seen = epoch;  // regions that have ended meanwhile did not wait for this thread
    if (stop_) return;
    if (!begin(epoch)) continue;
    play(thread);
    ended_.fetch_add(1, std::memory_order_acq_rel);
    ended_.notify_one();
  }
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace atl
