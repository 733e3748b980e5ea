// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/serial.hpp>
#include <atoll/algorithms/bfs/visits.hpp>

/// The edges of the frontier's list, by the threads of the team: who sets the bit of a target in visited() has reached it,
/// and a mirror's owner is told.
///
///     BfsPush<Id> push(graph, ids, kernels, state, visits);
///     push.all();                       // not collective: records are under way afterwards
///     push.heaviest_first();            // the same, by falling degree: buffers fill and leave sooner
///     push.post();                      // by one thread, of a narrow level: to be told by visits.post()
///
/// Short lists are dealt out many at a time; those of hubs, in pieces, when all others are done.
namespace atl {

template <class Id>
class BfsPush {
 public:
  BfsPush(const Graph& graph, const Array<Id>& ids, const BfsKernels<Id>& kernels, BfsState<Id>& state,
          BfsVisits<Id>& visits);
  BfsPush(const BfsPush&) = delete;
  BfsPush& operator=(const BfsPush&) = delete;

  void all();
  void heaviest_first();
  void post();
  std::size_t memory_bytes() const { return long_lists_.size() * sizeof(Local) + serial_.memory_bytes(); }

 private:
  // Edges of a vertex that one thread takes at a time; longer lists are shared out.
  static constexpr Edge kPiece = 4096;
  struct alignas(128) Claimed {
    Local targets[kPiece + 16];
  };

  void with_team();
  void whole(int thread, Local u);
  void piece(int thread, Local u, Edge begin, Edge n);

  const Graph& graph_;
  Team& team_;
  const Array<Id>& ids_;
  const BfsKernels<Id> kernels_;
  BfsState<Id>& state_;
  BfsVisits<Id>& visits_;
  SerialBfs<Id> serial_;
  Local long_end_ = 0;            // hubs below it have lists that are shared out
  Array<Local> long_lists_;       // of the frontier
  std::vector<Claimed> claimed_;  // [thread]
};

}  // namespace atl
