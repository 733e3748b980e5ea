// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <fmt/core.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/transport/simulation/fiber.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace emulation {

constexpr std::byte kPoison{0xff};  // NaN as float, -1 as integer

/// An asynchronous copy that has not been made.
struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};
inline void run(const Copy& copy) { std::memcpy(copy.to, copy.from, copy.bytes); }

/// A thread of the block, and what it waits for.
struct Thread {
  Here here;
  std::unique_ptr<atl::Fiber> fiber;
  bool ended = false, waits = false;
  std::function<bool()> ready;  // while it waits
  const char* where = "";
  std::vector<std::vector<Copy>> groups;  // of asynchronous copies
  std::vector<Copy> open;
};

/// Where lanes of a warp meet, and what they tell each other there.
struct Warp {
  std::map<unsigned, std::pair<unsigned, unsigned>> meetings;  // [mask] lanes that have come, number of the meeting
  std::byte told[32][16];
};

/// A barrier in shared memory that counts bytes of bulk copies.
struct Barrier {
  unsigned arrivals = 0, arrived = 0;
  std::int64_t bytes = 0;  // that the phase still waits for
  unsigned phase = 0;
  std::vector<Copy> late;
};

/// A block's threads as fibers, which take turns in an order of its own from each meeting to the next.
class Block {
 public:
  explicit Block(std::uint64_t seed) : seed_(seed) {}

  void run(dim3 blocks, unsigned block, dim3 threads, std::size_t shared_bytes, const std::function<void()>& kernel) {
    kernel_ = &kernel;
    shared_.assign(shared_bytes + 128, kPoison);
    warps_.assign((threads.x + 31) / 32, {});
    barriers_.clear();
    arrived_ = meeting_ = 0;
    while (threads_.size() < threads.x) add_thread();
    count_ = threads.x;
    live_ = count_;
    for (unsigned t = 0; t < count_; ++t) {
      Thread& thread = *threads_[t];
      thread.here = {{t, 0, 0}, {block, 0, 0}, threads, blocks};
      thread.ended = thread.waits = false;
      thread.groups.clear();
      thread.open.clear();
    }
    std::vector<unsigned> order(count_);
    std::iota(order.begin(), order.end(), 0u);
    for (unsigned i = count_; i > 1; --i) std::swap(order[i - 1], order[draw() % i]);
    while (live_ > 0) {
      bool moved = false;
      for (const unsigned t : order) {
        Thread& thread = *threads_[t];
        if (thread.ended || (thread.waits && !thread.ready())) continue;
        thread.waits = false;
        now_ = &thread;
        thread.fiber->resume();
        now_ = nullptr;
        moved = true;
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
      }
      if (!moved) fail_of_waiting();
    }
  }
  ~Block() {
    stop_ = true;
    for (auto& thread : threads_) thread->fiber->resume();
  }
  Thread& now() { return *now_; }
  unsigned char* shared() {
    auto* const at = reinterpret_cast<unsigned char*>(shared_.data());
    return at + (128 - reinterpret_cast<std::uintptr_t>(at) % 128) % 128;
  }
  void wait(const char* where, std::function<bool()> ready) {
    Thread& thread = *now_;
    if (ready()) return;
    thread.waits = true;
    thread.where = where;
    thread.ready = std::move(ready);
    thread.fiber->suspend();
  }
  void sync() {
    const unsigned mine = meeting_;
    ++arrived_;
    if (arrived_ == live_) {
      arrived_ = 0;
      ++meeting_;
    }
    wait("__syncthreads", [this, mine] {
      if (meeting_ == mine && arrived_ == live_) {  // another thread has ended meanwhile
        arrived_ = 0;
        ++meeting_;
      }
      return meeting_ != mine;
    });
  }
  Warp& warp() { return warps_[now_->here.thread.x / 32]; }
  unsigned all_lanes() const {
    const unsigned first = now_->here.thread.x / 32 * 32, has = std::min(32u, count_ - first);
    return has == 32 ? ~0u : (1u << has) - 1;
  }
  std::uint64_t draw() { return atl::random_at(seed_, counter_++); }
  std::map<unsigned long long*, Barrier>& barriers() { return barriers_; }

 private:
  void add_thread() {
    auto thread = std::make_unique<Thread>();
    Thread* const self = thread.get();
    thread->fiber = std::make_unique<atl::Fiber>([this, self] {
      for (;;) {
        self->fiber->suspend();
        if (stop_) return;
        try {
          (*kernel_)();
        } catch (...) {
          error_ = std::current_exception();
        }
        self->ended = true;
        --live_;
      }
    });
    thread->fiber->resume();  // to its first suspend()
    threads_.push_back(std::move(thread));
  }
  [[noreturn]] void fail_of_waiting() {
    std::string text = "the threads of a block wait for each other for ever:";
    for (unsigned t = 0, told = 0; t < count_ && told < 8; ++t)
      if (const Thread& thread = *threads_[t]; !thread.ended && ++told)
        text += fmt::format(" {} in {}", t, thread.where);
    std::fprintf(stderr, "emulation: %s\n", text.c_str());
    std::abort();  // their stacks hold what cannot be unwound
  }

  std::uint64_t seed_, counter_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;
  const std::function<void()>* kernel_ = nullptr;
  Thread* now_ = nullptr;
  std::vector<std::byte> shared_;
  std::vector<Warp> warps_;
  std::map<unsigned long long*, Barrier> barriers_;
  unsigned count_ = 0, live_ = 0, arrived_ = 0, meeting_ = 0;
  bool stop_ = false;
  std::exception_ptr error_;
};

/// The block that the calling host thread runs.
Block& current_block();

}  // namespace emulation
