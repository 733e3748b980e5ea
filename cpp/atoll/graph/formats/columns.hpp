// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/runtime/world.hpp>
#include <atomic>

/// Columns of an edge list that grow while several threads append to them, in a fixed order.
///
///     EdgeColumns columns(expected_edges, weighted);
///     columns.append(turn, source, target, weight, n);   // any thread; each turn 0, 1, 2, .. exactly once
///     columns.finish(world, edges);                      // collective
///
/// Ids lie in 32 bits until one does not fit, then all are widened in place: memory is reserved for 64 bits,
/// but pages that are never touched cost nothing. So the peak is the edge list itself and no second copy.
namespace atl {

class EdgeColumns {
 public:
  EdgeColumns(std::size_t expected, bool weighted);

  /// Waits for the turns before this one to have claimed their places, then copies; n may be 0.
  void append(std::size_t turn, const std::uint32_t* source, const std::uint32_t* target, const double* weight,
              std::size_t n) {
    append_as(turn, source, target, weight, n);
  }
  void append(std::size_t turn, const Vertex* source, const Vertex* target, const double* weight, std::size_t n) {
    append_as(turn, source, target, weight, n);
  }

  bool weighted() const { return weighted_; }
  std::size_t size() const { return size_; }
  /// Moves the columns into `edges`, in the same width on all ranks. Collective.
  void finish(World& world, EdgeList& edges);

 private:
  template <class Id>
  void append_as(std::size_t turn, const Id* source, const Id* target, const double* weight, std::size_t n);
  void grow(std::size_t least);
  void widen();
  void wait_for_copies();

  bool weighted_;
  bool wide_ = false;
  std::size_t size_ = 0, capacity_ = 0;
  Array<Vertex> source_, target_;  // holding 32-bit ids while not wide_
  Array<double> weight_;
  // Whoever has the turn owns the fields above; copies into claimed places go on beside it.
  alignas(64) std::atomic<std::size_t> turn_{0};
  alignas(64) std::atomic<int> copies_{0};
};

}  // namespace atl
