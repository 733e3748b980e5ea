// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/remote_updates.hpp>
#include <atoll/algorithms/bfs/serial.hpp>
#include <atoll/algorithms/bfs/team_push.hpp>

/// The push along the edges of the frontier by the threads of the team. The thread that sets the visited bit of a
/// target has reached it; if the target is a mirror, it sends a record to the owner. Without Savings::claims there is a
/// record for each edge to a mirror.
///
///     BfsPush<Id> push(view, kernels, state, updates);
///     push.all();                       // not collective: records are under way afterwards
///     push.sort_heaviest_first();       // before it: by falling degree, buffers fill and leave sooner
///     push.small_level();               // one thread; updates.exchange_small_level() sends the records
///     if (push.suits_team(frontier)) push.levels(end_level);          // on one rank, one level or several; TeamPush
///
/// Over ranks, threads take many short adjacency lists at a time; lists of hubs are split into pieces and pushed after
/// all others.
namespace atl {

template <class Id>
class BfsPush {
 public:
  BfsPush(const TraversalView<Id>& view, const BfsKernels<Id>& kernels, BfsState<Id>& state,
          RemoteUpdates<Id>& updates);
  BfsPush(const BfsPush&) = delete;
  BfsPush& operator=(const BfsPush&) = delete;

  void all();
  void sort_heaviest_first();  ///< the frontier
  void small_level();
  bool suits_team(const BfsLevel& frontier, bool together = false) const {
    return view_.world().size() == 1 && team_push_.suits(frontier, together);
  }
  void levels(const std::function<bool()>& end_level) { team_push_.levels(end_level); }
  std::size_t memory_bytes() const {
    return long_lists_.size() * sizeof(Local) + serial_.memory_bytes() + team_push_.memory_bytes();
  }

 private:
  // Edges of a vertex that one thread takes at a time; longer lists are split among threads.
  static constexpr Edge kPiece = 4096;
  struct alignas(128) Claimed {
    Local targets[kPiece + 16];
  };

  void with_team();
  void push_list(int thread, Local u);
  void push_piece(int thread, Local u, Edge begin, Edge n);

  const TraversalView<Id>& view_;
  Team& team_;
  const BfsKernels<Id> kernels_;
  BfsState<Id>& state_;
  RemoteUpdates<Id>& updates_;
  SerialBfs<Id> serial_;
  TeamPush<Id> team_push_;
  Local long_end_ = 0;            // hubs below it have lists longer than kPiece
  Array<Local> long_lists_;       // hubs of the frontier with such lists
  const bool claims_;             // whether a mirror gets a record only when it is first reached (Savings)
  std::vector<Claimed> claimed_;  // [thread]
};

}  // namespace atl
