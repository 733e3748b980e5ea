// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/betweenness/scaled_count.hpp>
#include <atoll/base/array.hpp>
#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>
#include <limits>
#include <memory>
#include <span>
#include <vector>

/// Brandes' accumulation by one thread, on one rank. Threads with an object each share nothing and need no barrier per
/// level: for graphs of many small levels, as lattices, roads and trees.
///
///     SourcePerThread betweenness(graph, ScoresOf::vertices);
///     betweenness.add(active_locals(graph, ids), score);   // score[local]
///
/// Memory, for each thread: 20 bytes a vertex, and 8 a score.
namespace atl {

/// Scores by local number of an active vertex, or by index into graph.out(): what paths along that direction of the edge
/// give it.
enum class ScoresOf { vertices, edges };

/// The local numbers of these vertices without those that have no edge. InputError if no vertex has one of the ids.
std::vector<Local> active_locals(const Graph& graph, std::span<const Vertex> ids);

class SerialBetweenness {
 public:
  SerialBetweenness(const Graph& graph, ScoresOf of);

  void clear() { std::fill(score_.begin(), score_.end(), 0); }
  void add(Local source);
  const Array<double>& score() const { return score_; }
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
  Array<Mark> marks_;  // [local]
  const bool far_;     // marks_ exceed the caches of a core
  const ScoresOf of_;
  Array<double> score_;
  Array<Local> queue_;  // seen vertices, level after level
  std::size_t queued_ = 0;
  std::vector<std::size_t> begin_;  // [level] in queue_
};

/// A SerialBetweenness for each thread of one rank, which takes sources of its own.
class SourcePerThread {
 public:
  SourcePerThread(const Graph& graph, ScoresOf of) : graph_(graph), of_(of) {}

  /// Adds the scores from these sources, local numbers of active vertices, to `score`. Sources are assigned to threads
  /// statically, so that sums depend on the number of threads but not on timing.
  void add(std::span<const Local> sources, Array<double>& score, const Progress& progress);
  std::size_t memory_bytes() const;

 private:
  const Graph& graph_;
  const ScoresOf of_;
  std::vector<std::unique_ptr<SerialBetweenness>> threads_;
};

}  // namespace atl
