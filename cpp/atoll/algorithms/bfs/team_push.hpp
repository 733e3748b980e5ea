// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/algorithms/bfs/state.hpp>
#include <functional>
#include <vector>

/// Pushes levels by the threads of a team on one rank, without atomics or locked instructions: the threads gather the
/// targets that are not visited into bins, one for each thread, among which the cache lines of the bits are hashed; then
/// each thread claims the targets in its bins. The team stays together from level to level. It suits levels of some
/// thousand edges and more, and several vertices for each thread.
///
///     TeamPush<Id> push(graph, ids, state);            // ids: nullptr if they equal local numbers
///     if (push.suits(frontier))
///       push.levels([&] { ...; return push.suits(next_frontier, true); });
///
/// Memory, from the first such level on: 12 bytes (ids of 64 bits: 16) for each of 32,768 targets a thread, or of 2,048
/// for each pair of threads if that is more.
namespace atl {

/// Claims gathered targets, among which a vertex may be several times, for the only thread that writes their bits:
/// appends those that were not visited at `end`, writes their parents, and returns the new end. Overwrites `parents`.
template <class Id>
Local* claim_gathered(const typename BfsState<Id>::UnsynchronizedView& view, const Local* targets, Id* parents,
                      std::size_t count, const Edge* offsets, Local* end);

/// Writes the depths of the found vertices and prefetches their lists; returns the number of their out-edges.
template <class Id>
Edge finish_found(const typename BfsState<Id>::UnsynchronizedView& view, const Csr& out, const Id* ids,
                  std::span<const Local> found);

template <class Id>
class TeamPush {
 public:
  TeamPush(const Graph& graph, const Id* ids, BfsState<Id>& state);
  TeamPush(const TeamPush&) = delete;
  TeamPush& operator=(const TeamPush&) = delete;

  /// Whether this frontier is pushed faster than by one thread; `together`: as the next of levels().
  bool suits(const BfsLevel& frontier, bool together = false) const;
  /// Pushes the frontier. Then thread 0 calls end_level(), which ends the level and says whether the next one follows.
  void levels(const std::function<bool()>& end_level);
  std::size_t memory_bytes() const;

 private:
  using View = typename BfsState<Id>::UnsynchronizedView;
  // Targets gathered by one thread for another one to claim.
  struct Bin {
    Array<Local> targets;
    Array<Id> parents;
    std::size_t count = 0;
  };
  struct alignas(128) Thread {
    std::vector<Bin> bins;  // [thread that claims]
    Array<Local> found;
    std::size_t at = 0, end = 0;  // of the queue, what this thread has taken and not gathered yet
    Edge edge = 0;                // edges of the vertex `at` that it has gathered
  };

  void make_bins();
  void push_share(int number);
  bool gather(const View& view, Thread& mine);
  void claim(const View& view, int number);
  std::size_t owner_of(Local v) const;

  const Csr& out_;
  Team& team_;
  BfsState<Id>& state_;
  const Id* const ids_;
  std::vector<Thread> threads_;              // allocated by the first level
  std::array<std::atomic<bool>, 2> more_{};  // in this round and the one before, in turns: whether bins were full
  bool go_on_ = false;
  struct alignas(64) Counts {  // apart from what the threads only read
    std::atomic<std::size_t> next{0}, found{0};
    std::atomic<Edge> edges{0};
  } counts_;
};

}  // namespace atl
