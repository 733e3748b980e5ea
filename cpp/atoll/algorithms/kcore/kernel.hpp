// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>
#include <limits>
#include <vector>

/// Takes a rank's vertices away, level after level, with all threads of its team.
///
///     CorePeeling peeling(graph);
///     for (Local k = peeling.begin(); k != CorePeeling::kNone;) k = peeling.take_away(k, mirrors_gone);
///     peeling.core_of(local);
///
/// A thread owns a range of masters, and of each list the piece that names these: it alone counts down what they have
/// left, without atomics, and nobody waits for a cache line. What a thread takes away all see at the next barrier.
/// Memory: 8 bytes a vertex, mirrors too, for each thread and once more; 20 a vertex; 4 an edge between ranks.
namespace atl {

class CorePeeling {
 public:
  static constexpr Local kNone = std::numeric_limits<Local>::max();

  explicit CorePeeling(const Graph& graph);

  /// From the start. The least that a master has left; kNone: there are none.
  Local begin();
  /// Takes away all that has at most k left, once the mirrors are gone that `gone` names; before, nothing had less. The
  /// least level that may be next here, or kNone.
  Local take_away(Local k, std::span<const Local> gone);
  /// Sets the bits of the masters that take_away() has taken since the last time.
  void move_taken(VertexBits& taken);

  /// [local] neighbours left, or the core number of what has gone. What others say of mirrors goes in here.
  std::span<Local> left() { return {left_.data(), left_.size()}; }
  std::span<const Local> left() const { return {left_.data(), left_.size()}; }
  Local core_of(Local master) const { return master < active_ ? left_[static_cast<std::size_t>(master)] : 0; }
  Local first_mirror() const { return first_mirror_; }
  std::size_t memory_bytes() const;

 private:
  // Lists of vertices, each cut into the threads' pieces.
  struct Lists {
    const Local* targets = nullptr;
    Array<Edge> pieces;  // [vertex][thread], and an end
  };
  // What a thread owns.
  struct alignas(128) Part {
    Local first = 0, end = 0;        // masters
    Array<Local> taken;              // in the order in which they went, and one to spare
    std::size_t tail = 0, told = 0;  // taken; of them moved by move_taken()
    std::size_t done = 0;            // whose neighbours are counted down here, where one thread has played all
    std::size_t shown[2] = {};       // tail, as others see it in even and odd rounds
    std::vector<Local> near;         // with less left than the window's end, and some that have gone
    std::vector<Local> far;          // the others, and some that have less
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
  bool distinct_ = true;  // no list names a vertex twice
  Array<Local> degree_;   // [master] distinct neighbours but itself
  Array<Local> left_;     // [local]
  Lists masters_, mirrors_;
  Array<Edge> mirror_offsets_;
  Array<Local> mirror_targets_;
  std::vector<Part> parts_;  // [thread]
  Local window_ = 0;         // one past the levels that `near` is for
  Local level_ = -1;         // of the last take_away()
};

}  // namespace atl
