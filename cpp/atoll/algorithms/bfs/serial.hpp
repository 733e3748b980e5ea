// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/team_push.hpp>

/// Pushes a level by one thread, without atomics or copies. This way a level of a lattice, road network or tree takes a
/// microsecond to a millisecond; waking a team and setting bits atomically would take a multiple of that.
///
///     SerialBfs<Id> serial(graph, ids, state);
///     serial.push();                         // same as BfsPush::all(), on one rank
///     for (Local m : serial.mirrors()) ...   // on several: mirrors reached, with parents in the state; nothing was sent
///
/// There are two forms. push_branching() tests and reaches edge by edge: best where the branch predictor is right, as
/// on a lattice in its own order. push_staged() has no data-dependent branch: it gathers the targets whose bit is not
/// set, then claims them, then writes parents. On a lattice with gaps and random ids it takes two thirds of the time,
/// on a whole one in order one and a half times. push_staged() counts how often a list has the same outcomes as the
/// list before it; if most do, push_branching() takes the next levels.
namespace atl {

template <class Id>
class SerialBfs {
 public:
  SerialBfs(const Graph& graph, const Array<Id>& ids, BfsState<Id>& state);
  SerialBfs(const SerialBfs&) = delete;
  SerialBfs& operator=(const SerialBfs&) = delete;

  void push();
  const Id* ids() const { return ids_; }  ///< original ids by local number; nullptr if they are equal
  std::span<const Local> mirrors() const { return mirrors_; }
  std::size_t memory_bytes() const;

 private:
  using View = typename BfsState<Id>::UnsynchronizedView;
  Local* push_branching(const View& view, Local* end);
  Local* push_staged(const View& view, Local* end);
  void note_outcomes(std::size_t lists, std::size_t same);
  Id id_of(Local u) const { return ids_ ? ids_[u] : static_cast<Id>(u); }
  void prefetch(std::span<const Local> queue, std::size_t i) const;
  std::span<const Local> without_mirrors(Local* begin, Local* end);

  const Csr& out_;
  const Local active_;
  const bool only_rank_;
  BfsState<Id>& state_;
  const Id* const ids_;               // original ids by local number; nullptr if ids equal local numbers
  Array<Local> targets_;              // gathered targets; unvisited when gathered
  Array<Id> parents_;                 // [i] parent of targets_[i]
  std::vector<Local> mirrors_;        // mirrors that the level has reached
  std::uint64_t outcome_ = 0;         // of the last list: one bit per edge, set if its target was new
  std::size_t lists_ = 0, same_ = 0;  // lists since the last decision; those with the previous list's outcome
  std::size_t predicted_ = 0;         // frontier vertices left for push_branching() before outcomes are sampled again
};

}  // namespace atl
