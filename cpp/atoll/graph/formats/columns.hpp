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
/// Ids are stored in 32 bits until one does not fit; then all are widened in place. Memory is reserved for 64 bits, but
/// untouched pages cost nothing, so the peak is the edge list itself without a second copy.
namespace atl {

class EdgeColumns {
 public:
  EdgeColumns(std::size_t expected, bool weighted);

  /// Waits until all earlier turns have reserved their places, then copies; n may be 0.
  void append(std::size_t turn, const std::uint32_t* source, const std::uint32_t* target, const double* weight,
              std::size_t n) {
    append_as(turn, source, target, weight, n);
  }
  void append(std::size_t turn, const Vertex* source, const Vertex* target, const double* weight, std::size_t n) {
    append_as(turn, source, target, weight, n);
  }

  bool weighted() const { return weighted_; }
  std::size_t size() const { return size_; }
  /// Moves the columns into `edges`, with the same id width on all ranks. Collective.
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
  Array<Vertex> source_, target_;  // 32-bit ids unless wide_
  Array<double> weight_;
  // Only the thread whose turn it is accesses the fields above; copies into reserved places run concurrently.
  alignas(64) std::atomic<std::size_t> turn_{0};
  alignas(64) std::atomic<int> copies_{0};
};

}  // namespace atl
