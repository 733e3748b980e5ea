// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <atomic>
#include <cstdint>

namespace atl {

/// How a vertex got a distance, and whether its edges were relaxed at it; both hold only while it has that distance.
/// Threads write without a lock. A trace of 8 bytes (sums of 32 bits) changes as a whole. One of 16 bytes might be torn:
/// where several threads run, only the distance of the last relaxation is noted in it, no predecessor.
template <class Sum>
struct alignas(2 * sizeof(Sum)) SsspTrace {
  static constexpr std::uint32_t kNoPredecessor = 0x7fffffff, kRelaxed = 0x80000000;

  std::uint32_t from;  ///< the vertex from which `distance` was relaxed, or kNoPredecessor; and kRelaxed
  Sum distance;

  /// The vertex from which `reached` was relaxed, whose own distance was smaller; -1 if it is not known.
  Local predecessor(Sum reached) const {
    const std::uint32_t vertex = from & kNoPredecessor;
    return distance == reached && vertex != kNoPredecessor ? static_cast<Local>(vertex) : -1;
  }
  bool is_relaxed(Sum reached) const { return distance == reached && (from & kRelaxed) != 0; }

  /// Notes a distance and its predecessor. `only`: no other thread writes traces meanwhile.
  void reach(Sum reached, std::uint32_t predecessor, bool only) {
    if (only) {
      *this = {predecessor, reached};
    } else if constexpr (sizeof(*this) == 8) {
      std::atomic_ref(*this).store({predecessor, reached}, std::memory_order_relaxed);
    }
  }
  /// Notes that the edges are relaxed at `reached`; false if that was noted before.
  bool relax(Sum reached, bool only) {
    if (only) {
      if (is_relaxed(reached)) return false;
      *this = marked(reached);
    } else if constexpr (sizeof(*this) == 8) {
      const SsspTrace known = std::atomic_ref(*this).load(std::memory_order_relaxed);
      if (known.is_relaxed(reached)) return false;
      std::atomic_ref(*this).store(known.marked(reached), std::memory_order_relaxed);
    } else {
      const std::atomic_ref vertex(from);
      const std::atomic_ref at(distance);
      if ((vertex.load(std::memory_order_relaxed) & kRelaxed) != 0 && at.load(std::memory_order_relaxed) == reached)
        return false;
      vertex.store(kNoPredecessor | kRelaxed, std::memory_order_relaxed);
      at.store(reached, std::memory_order_relaxed);
    }
    return true;
  }

 private:
  SsspTrace marked(Sum reached) const { return {(distance == reached ? from : kNoPredecessor) | kRelaxed, reached}; }
};

}  // namespace atl
