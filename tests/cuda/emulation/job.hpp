// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

/// Threads of a test that play the processes of a job, for the emulated libraries by which those talk.
namespace emulation {

/// Waits with the lock until ready(); ends the program after a time that no test needs.
template <class Ready>
void wait_for_others(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, const char* what,
                     Ready&& ready) {
  if (changed.wait_for(lock, std::chrono::seconds(60), ready)) return;
  std::fprintf(stderr, "emulation: %s waits for ever\n", what);
  std::abort();
}

/// The jobs of a process by their ids. A job lasts as long as its threads hold it.
template <class Job>
class Jobs {
 public:
  /// Fills an id of `bytes` bytes.
  void make_id(void* id, std::size_t bytes) {
    const std::uint64_t number = ++last_;
    std::memset(id, 0, bytes);
    std::memcpy(id, &number, sizeof(number));
  }
  /// The id's job, made by the first that comes: Job(size).
  std::shared_ptr<Job> join(const void* id, int size) {
    std::uint64_t number = 0;
    std::memcpy(&number, id, sizeof(number));
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Job> job = jobs_[number].lock();
    if (!job) jobs_[number] = job = std::make_shared<Job>(size);
    return job;
  }

 private:
  std::atomic<std::uint64_t> last_{0};
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<Job>> jobs_;
};

/// All threads of a job meet.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size) {}
  void come(const char* what) {
    const long mine = arrive();
    std::unique_lock lock(mutex_);
    wait_for_others(changed_, lock, what, [&] { return held_ != mine; });
  }
  /// Comes without a wait: held(number) once all have.
  long arrive() {
    const std::lock_guard lock(mutex_);
    const long mine = held_;
    if (++come_ == size_) {
      come_ = 0;
      ++held_;
      changed_.notify_all();
    }
    return mine;
  }
  bool held(long number) {
    const std::lock_guard lock(mutex_);
    return held_ != number;
  }

 private:
  const int size_;
  int come_ = 0;
  long held_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace emulation
