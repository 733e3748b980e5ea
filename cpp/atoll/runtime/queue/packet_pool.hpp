// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

/// A fixed budget of numbered packets for the threads of a rank.
///
///     PacketPool pool(packets, reserve, threads);
///     if (auto p = pool.take(thread)) { use(*p); pool.give(*p); }
///
/// Each thread has its own stack, the most recently used packet on top. A thread whose stack is empty steals half of
/// another's. A packet always returns to its home stack, so that memory stays near the thread that uses it. The reserve
/// is for the library's own operations (receives, control): users who hold packets cannot drain it.
namespace atl {

class PacketPool {
 public:
  enum class For : bool { user, library };

  /// Numbers 0 .. packets + reserve - 1.
  PacketPool(std::uint32_t packets, std::uint32_t reserve, int threads)
      : home_(packets + reserve), stacks_(static_cast<std::size_t>(threads) + 1) {
    for (Stack& s : stacks_) s.numbers.reserve(home_.size());  // give() never allocates
    // From the highest number down, so that low numbers, whose memory is touched first, lie on top.
    for (std::uint32_t p = packets + reserve; p-- > 0;) {
      home_[p] = p < packets ? static_cast<std::uint16_t>(p % static_cast<std::uint32_t>(threads)) : reserve_stack();
      stacks_[home_[p]].numbers.push_back(p);
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(home_.size()); }

  std::optional<std::uint32_t> take(int thread, For use = For::user) {
    const auto own = static_cast<std::uint16_t>(thread);
    if (auto p = pop(own)) return p;
    if (auto p = steal(own)) return p;
    return use == For::library ? pop(reserve_stack()) : std::nullopt;
  }

  void give(std::uint32_t packet) {
    Stack& stack = stacks_[home_[packet]];
    std::lock_guard hold(stack.lock);
    stack.numbers.push_back(packet);
  }

  /// The number of free packets; exact only while no thread takes or gives.
  std::uint32_t free() {
    std::size_t n = 0;
    for (Stack& s : stacks_) {
      std::lock_guard hold(s.lock);
      n += s.numbers.size();
    }
    return static_cast<std::uint32_t>(n);
  }

 private:
  struct alignas(128) Stack {
    SpinLock lock;
    std::vector<std::uint32_t> numbers;
  };
  std::uint16_t reserve_stack() const { return static_cast<std::uint16_t>(stacks_.size() - 1); }

  std::optional<std::uint32_t> pop(std::uint16_t from) {
    Stack& stack = stacks_[from];
    std::lock_guard hold(stack.lock);
    if (stack.numbers.empty()) return std::nullopt;
    const std::uint32_t p = stack.numbers.back();
    stack.numbers.pop_back();
    return p;
  }

  // Steals half of a stack: one packet for the caller, the others for its stack. give() returns each to its home stack.
  std::optional<std::uint32_t> steal(std::uint16_t own) {
    for (std::uint16_t step = 1; step < reserve_stack(); ++step) {
      const auto victim = static_cast<std::uint16_t>((own + step) % reserve_stack());
      std::vector<std::uint32_t> loot;
      {
        Stack& stack = stacks_[victim];
        std::lock_guard hold(stack.lock);
        const std::size_t n = (stack.numbers.size() + 1) / 2;
        loot.assign(stack.numbers.end() - static_cast<std::ptrdiff_t>(n), stack.numbers.end());
        stack.numbers.resize(stack.numbers.size() - n);
      }
      if (loot.empty()) continue;
      const std::uint32_t p = loot.back();
      loot.pop_back();
      Stack& stack = stacks_[own];
      std::lock_guard hold(stack.lock);
      stack.numbers.insert(stack.numbers.end(), loot.begin(), loot.end());
      return p;
    }
    return std::nullopt;
  }

  std::vector<std::uint16_t> home_;  // [packet] its stack
  std::vector<Stack> stacks_;        // [thread], then the reserve
};

}  // namespace atl
