// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/betweenness/scaled_count.hpp>
#include <atoll/base/array.hpp>
#include <atoll/graph/graph.hpp>
#include <limits>
#include <vector>

/// Brandes' accumulation by one thread, on one rank. Threads with an object each share nothing and need no barrier per
/// level: for graphs of many small levels, as lattices, roads and trees.
///
///     SerialBetweenness serial(graph);
///     serial.clear();
///     serial.add(source);          // local number of an active vertex
///     serial.score()[local];
///
/// Memory: 28 bytes a vertex.
namespace atl {

class SerialBetweenness {
 public:
  explicit SerialBetweenness(const Graph& graph);

  void clear();
  void add(Local source);
  const Array<double>& score() const { return score_; }
  /// From the next clear() on, each edge's share is added up too: 8 bytes an entry of the adjacency lists.
  void keep_edges() { edge_score_ = Array<double>(out_.targets.size()); }
  /// [index into graph.out()] what paths along that direction of the edge give it; empty unless kept.
  const Array<double>& edge_score() const { return edge_score_; }
  std::size_t memory_bytes() const;

 private:
  // The number of shortest paths is paths * kStep ^ steps: on grids it grows exponentially with the level. Neighbours
  // on shortest paths mostly have equal steps; then plain doubles are added and divided.
  struct Mark {
    // In [1, kStep) once its level is complete; in the backward phase, when v is done: (1 + delta(v)) / paths.
    double paths;
    std::int32_t level, steps;
  };
  static constexpr double kStep = ScaledCount::kStep;
  static constexpr std::int32_t kUnseen = std::numeric_limits<std::int32_t>::max();

  void count_paths(Local source);
  void count_from(Local u, std::int32_t level);
  void sum_dependencies();
  double shares_below(Local u, const Mark& mark) const;
  double keep_shares_below(Local u, const Mark& mark);
  static double power(std::int32_t steps);
  static void add_scaled(Mark& to, const Mark& from);
  void fetch_list(Local u) const;
  void fetch_marks(Local u) const;

  const Csr& out_;
  Array<Mark> marks_;    // [local]
  const bool far_;       // marks_ exceed the caches of a core
  Array<double> score_;  // [local]
  Array<double> edge_score_;
  Array<Local> queue_;  // seen vertices, level after level
  std::size_t queued_ = 0;
  std::vector<std::size_t> begin_;  // [level] in queue_
};

}  // namespace atl
