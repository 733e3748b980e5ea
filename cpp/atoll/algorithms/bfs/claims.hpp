// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/state.hpp>

/// How many records a round that pushes will send, before it does: one for each mirror that one of the frontier's edges is
/// the first to reach, as if edges fell on mirrors at random. It is what Mailbox::expect() wants to know.
///
///     BfsClaims claims(graph);            // collective
///     claims.start();                     // a search begins
///     claims.records(frontier);           // the same on all ranks, as is all that follows
///     claims.note(found, unvisited);      // a level is over
namespace atl {

class BfsClaims {
 public:
  explicit BfsClaims(const Graph& graph);
  void start() { unclaimed_ = all_mirrors_; }
  double records(const BfsLevel& frontier) const;
  void note(const BfsLevel& found, Vertex unvisited);
  double mean_active() const { return mean_active_; }  ///< vertices of a rank

 private:
  double all_mirrors_, unclaimed_ = 0;  // of all ranks; those that no record has been sent for
  double mirror_edges_;                 // share of the edges that lead to mirrors
  double mean_active_;
};

}  // namespace atl
