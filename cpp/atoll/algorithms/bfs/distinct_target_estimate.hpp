// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/state.hpp>

/// Estimates how many records a push will send, for Mailbox::expect(): one for each mirror that the frontier's edges
/// are the first to reach, assuming that edges hit mirrors at random; without Savings::claims one for each edge.
///
///     DistinctTargetEstimate estimate(view);            // collective
///     estimate.start();                     // at the start of a search
///     estimate.records(frontier);           // the same on all ranks
///     estimate.note(found, unvisited);      // after each level, with the same values on all ranks
namespace atl {

class DistinctTargetEstimate {
 public:
  template <class Id>
  explicit DistinctTargetEstimate(const TraversalView<Id>& view);
  void start() { unclaimed_ = all_mirrors_; }
  double records(const BfsLevel& frontier) const;
  void note(const BfsLevel& found, Vertex unvisited);
  /// The most records that may follow.
  double most() const { return claims_ ? std::max(0.0, unclaimed_) : edges_to_mirrors_; }
  double mean_active() const { return mean_active_; }  ///< active vertices of a rank, on average

 private:
  double all_mirrors_, unclaimed_ = 0;  // mirrors of all ranks; those without a record so far
  double mirror_edges_;                 // fraction of the edges whose target is a mirror
  double edges_to_mirrors_;             // their number
  bool claims_;
  double mean_active_;
};

}  // namespace atl
