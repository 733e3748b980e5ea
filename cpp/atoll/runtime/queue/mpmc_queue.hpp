// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

/// A bounded queue of 32-bit numbers for many producers and many consumers.
///
///     MpmcQueue queue(1000);
///     if (!queue.push(packet)) retry();          // full: nothing was overwritten
///     if (auto packet = queue.pop()) ...         // the oldest; none if it is empty
///
/// After A. Morrison and Y. Afek, "Fast concurrent queues for x86 processors" (PPoPP 2013): producers and consumers
/// take tickets by fetch-and-add, so they contend for two counters instead of looping on compare-and-swap, and a
/// consumer that meets a cell whose producer is late marks the cell and goes on. Their LCRQ is an unbounded list of
/// such rings, and their cell needs a double-width compare-and-swap. Here cell and cycle share one word, because values
/// are numbers, and two counters hold the numbers of free places and of values: a producer that finds no place leaves
/// (back-pressure), a consumer that finds no value leaves without a ticket. A ring has twice as many cells as places,
/// so a late thread never leaves producers without a cell.
namespace atl {

class MpmcQueue {
 public:
  explicit MpmcQueue(std::uint32_t capacity)
      : capacity_(capacity),
        shift_(std::bit_width(std::bit_ceil(std::max(capacity, 2U)))),
        cells_(new std::atomic<std::uint64_t>[std::size_t{1} << shift_]) {
    for (std::uint64_t i = 0; i < std::uint64_t{1} << shift_; ++i)
      cells_[i].store(word(0, kSafe, kNone), std::memory_order_relaxed);
    places_.store(capacity, std::memory_order_relaxed);
  }

  std::uint32_t capacity() const { return capacity_; }

  /// False if the queue is full. `value` is less than 2^32 - 1.
  bool push(std::uint32_t value) {
    if (places_.fetch_sub(1, std::memory_order_acquire) <= 0) {
      places_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    while (true) {
      const std::uint64_t ticket = tail_.fetch_add(1, std::memory_order_seq_cst);
      std::atomic<std::uint64_t>& cell = cells_[ticket & mask()];
      std::uint64_t now = cell.load(std::memory_order_acquire);
      // Skip a cell that a late consumer still holds, or that an early consumer has marked.
      while (cycle_of(now) < cycle(ticket) && value_of(now) == kNone &&
             ((now & kSafe) || head_.load(std::memory_order_seq_cst) <= ticket)) {
        if (!cell.compare_exchange_weak(now, word(cycle(ticket), kSafe, value), std::memory_order_release,
                                        std::memory_order_acquire))
          continue;
        values_.fetch_add(1, std::memory_order_release);
        return true;
      }
    }
  }

  std::optional<std::uint32_t> pop() {
    if (values_.load(std::memory_order_relaxed) <= 0) return std::nullopt;
    if (values_.fetch_sub(1, std::memory_order_acquire) <= 0) {
      values_.fetch_add(1, std::memory_order_relaxed);
      return std::nullopt;
    }
    // One of the values belongs to this call: some ticket from here on finds it.
    while (true) {
      const std::uint64_t ticket = head_.fetch_add(1, std::memory_order_seq_cst);
      std::atomic<std::uint64_t>& cell = cells_[ticket & mask()];
      std::uint64_t now = cell.load(std::memory_order_acquire);
      while (true) {
        if (cycle_of(now) == cycle(ticket)) {
          if (value_of(now) == kNone) break;  // only a consumer of this ticket could have marked it: impossible, go on
          cell.fetch_or(kNone, std::memory_order_acq_rel);
          places_.fetch_add(1, std::memory_order_release);
          return value_of(now);
        }
        if (cycle_of(now) > cycle(ticket)) break;
        // Empty: keep its late producer from filling it. Still full from an earlier cycle: mark it unsafe for this
        // cycle's producer.
        const std::uint64_t marked = value_of(now) == kNone ? word(cycle(ticket), now & kSafe, kNone) : now & ~kSafe;
        if (cell.compare_exchange_weak(now, marked, std::memory_order_acq_rel, std::memory_order_acquire)) break;
      }
    }
  }

  /// The number of values; exact only while no thread pushes or pops.
  std::uint32_t size() const {
    return static_cast<std::uint32_t>(std::max(0, values_.load(std::memory_order_relaxed)));
  }
  bool empty() const { return values_.load(std::memory_order_relaxed) <= 0; }

 private:
  // cycle (31 bits), safe (1), value (32)
  static constexpr std::uint64_t kNone = 0xffffffff, kSafe = std::uint64_t{1} << 32;
  static std::uint64_t word(std::uint64_t cycle, std::uint64_t safe, std::uint64_t value) {
    return cycle << 33 | safe | value;
  }
  static std::uint64_t cycle_of(std::uint64_t word) { return word >> 33; }
  static std::uint32_t value_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  std::uint64_t cycle(std::uint64_t ticket) const { return (ticket >> shift_) + 1; }
  std::uint64_t mask() const { return (std::uint64_t{1} << shift_) - 1; }

  const std::uint32_t capacity_;
  const int shift_;
  const std::unique_ptr<std::atomic<std::uint64_t>[]> cells_;
  alignas(128) std::atomic<std::uint64_t> head_{0};
  alignas(128) std::atomic<std::uint64_t> tail_{0};
  alignas(128) std::atomic<std::int32_t> places_{0};
  alignas(128) std::atomic<std::int32_t> values_{0};
};

}  // namespace atl
