// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/state.hpp>
#include <vector>

/// Pushes a level by one thread: nothing is locked, handed over or copied. Levels of lattices, roads and
/// trees are a microsecond to a millisecond so, which waking a team and locking each bit would multiply.
///
///     SerialBfs<Id> alone(graph, ids, state);
///     alone.push();                          // as BfsPush::all(), on the only rank
///     for (Local m : alone.mirrors()) ...    // of several: reached, their parents in the state; nobody has been told
///
/// Two forms. `straight` tests and reaches edge by edge: best where the processor foresees the outcome, as on a lattice in
/// its own order. `staged` has no branch that depends on one: it gathers the targets whose bit is not set, then claims
/// them, then writes. On a lattice with gaps and random ids it takes two thirds of the time, on a whole one in order one
/// and a half times. It counts how often a list's outcome is that of the list before it; where most are, `straight` goes on.
namespace atl {

template <class Id>
class SerialBfs {
 public:
  SerialBfs(const Graph& graph, const Array<Id>& ids, BfsState<Id>& state);
  SerialBfs(const SerialBfs&) = delete;
  SerialBfs& operator=(const SerialBfs&) = delete;

  void push();
  std::span<const Local> mirrors() const { return mirrors_; }
  std::size_t memory_bytes() const;

 private:
  using View = typename BfsState<Id>::UnsynchronizedView;
  Local* straight(const View& view, Local* end);
  Local* staged(const View& view, Local* end);
  // What one thread has gathered that is another's to claim; room for a level.
  struct Bin {
    Array<Local> targets;
    Array<Id> by;
    std::size_t count = 0;
  };
  struct alignas(128) Thread {
    std::vector<Bin> bins;  // [thread that claims]
    Array<Local> found;
  };

  bool is_shared() const;
  void share_out(const View& view);
  void gather(const View& view, Thread& mine, std::size_t begin, std::size_t end) const;
  static Local* claim(const View& view, const Local* targets, Id* by, std::size_t count, const Edge* offsets,
                      Local* end);
  void note_outcomes(std::size_t lists, std::size_t same);
  Id id_of(Local u) const { return ids_ ? ids_[u] : static_cast<Id>(u); }
  void fetch_ahead(std::span<const Local> queue, std::size_t i) const;
  std::span<const Local> without_mirrors(Local* begin, Local* end);
  Edge settle(const View& view, std::span<const Local> found) const;

  const Csr& out_;
  const Local active_;
  const bool only_rank_;
  Team& team_;
  BfsState<Id>& state_;
  std::vector<Thread> threads_;       // made by the first level that is shared
  const Id* const ids_;               // original ids by local number; nullptr where both are the same
  Array<Local> targets_;              // of edges, not visited when they were looked at
  Array<Id> by_;                      // [target] whose edge it is
  std::vector<Local> mirrors_;        // of the level
  std::uint64_t outcome_ = 0;         // of the last list: a bit an edge
  std::size_t lists_ = 0, same_ = 0;  // looked at; of these with the outcome of the list before
  std::size_t foreseen_ = 0;          // vertices to go straight through before outcomes are looked at again
};

}  // namespace atl
