// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>
#include <limits>
#include <vector>

/// Removes a rank's vertices level by level (peeling), with all threads of its team.
///
///     CorePeeling peeling(graph);
///     for (Local k = peeling.begin(); k != CorePeeling::kNone;) k = peeling.take_away(k, mirrors_gone);
///     peeling.core_of(local);
///
/// A thread owns a range of masters and, in each list, the piece with these masters. Only it decrements their counters,
/// so that needs no atomics and no cache line is shared. All threads see a thread's removals at the next barrier.
/// Memory: 8 bytes a vertex, mirrors included, for each thread and once more; 20 a vertex; 4 an edge between ranks.
namespace atl {

class CorePeeling {
 public:
  static constexpr Local kNone = std::numeric_limits<Local>::max();

  explicit CorePeeling(const Graph& graph);

  /// Starts a run. Returns the least number of neighbours of a master; kNone: there is no master.
  Local begin();
  /// Removes the mirrors in `gone`, then all masters with at most k neighbours left. Lower levels must be finished
  /// before. Returns the least level that may be next here, or kNone.
  Local take_away(Local k, std::span<const Local> gone);
  /// Sets the bits of the masters that take_away() has removed since the last call.
  void move_taken(VertexBits& taken);

  /// [local] neighbours left, or the core number of a removed vertex. Broadcasts to mirrors write here.
  std::span<Local> left() { return {left_.data(), left_.size()}; }
  std::span<const Local> left() const { return {left_.data(), left_.size()}; }
  Local core_of(Local master) const { return master < active_ ? left_[master] : 0; }
  Local first_mirror() const { return first_mirror_; }
  std::size_t memory_bytes() const;

 private:
  // Adjacency lists, each split into the pieces of the threads.
  struct Lists {
    const Local* targets = nullptr;
    Array<Edge> pieces;  // [vertex][thread] begin, and the end of the last
  };
  // The masters of a thread.
  struct alignas(128) Part {
    Local first = 0, end = 0;            // masters
    Array<Local> taken;                  // in order of removal, with one spare entry
    std::size_t tail = 0, reported = 0;  // number of taken; number reported by move_taken()
    std::size_t done = 0;       // taken vertices whose neighbours were decremented, if one thread processed all parts
    std::size_t shown[2] = {};  // tail as published to other threads in even and odd rounds
    std::vector<Local> near;    // vertices below the window's end, and some removed ones
    std::vector<Local> far;     // the others, and some that have fallen below it
    Local least = kNone;
  };

  void count_neighbours();
  void cut_into_parts();
  void cut_lists(Lists& lists, const Array<Edge>& offsets, std::size_t vertices);
  void turn_mirror_lists();
  void collect(Part& part, Local k, bool new_window);
  void rounds(int thread, Local k, bool new_window, std::span<const Local> gone);
  void level_serially(Local k, bool new_window, std::span<const Local> gone);
  void peel_serially(Local k, std::size_t most, std::vector<std::size_t>& seen);
  template <bool kDistinct>
  void count_down_distinct(Part& part, std::size_t p, const Lists& lists, const Local* vertices, std::size_t count,
                           Local base, Local k);
  void count_down(std::size_t p, const Lists& lists, const Local* vertices, std::size_t count, Local base, Local k);

  const Graph& graph_;
  Team& team_;
  const Local active_, first_mirror_;
  const std::size_t threads_;
  bool distinct_ = true;  // no list has a vertex twice
  Array<Local> degree_;   // [master] distinct neighbours except itself
  Array<Local> left_;     // [local]
  Lists masters_, mirrors_;
  Array<Edge> mirror_offsets_;
  Array<Local> mirror_targets_;
  std::vector<Part> parts_;  // [thread]
  Local window_ = 0;         // one past the levels that `near` is for
  Local level_ = -1;         // of the last take_away()
};

}  // namespace atl
