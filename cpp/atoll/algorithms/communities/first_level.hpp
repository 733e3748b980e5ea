// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/community_detection.hpp>
#include <atoll/algorithms/communities/level.hpp>

namespace atl {

/// The graph itself as a level: a row for each master with an edge.
class FirstLevel {
 public:
  /// Collective. InputError as CommunityDetection.
  FirstLevel(const Graph& graph, EdgeWeighting weights);

  Level view() const;
  double total() const { return total_; }  ///< of all degrees, on all ranks
  std::size_t memory_bytes() const { return degree_.size() * sizeof(double); }

 private:
  const Graph& graph_;
  const EdgeWeighting weights_;
  Array<double> degree_;  // [row]
  double total_ = 0;
};

}  // namespace atl
