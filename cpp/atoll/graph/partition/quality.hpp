// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/partition.hpp>
#include <atoll/topology/cost.hpp>

namespace atl {

/// How many edges of a partition cross each level of a machine's hierarchy, and its balance.
struct PartitionQuality {
  Edge inside_ranks = 0;       ///< edges with both ends on one rank
  std::vector<Edge> at_level;  ///< [level of the hierarchy] edges between ranks that this level separates
  /// Equation 1 [1] over the pairs of vertices that have an edge, each edge once: what one empty message along each
  /// edge would cost, in seconds. An edge inside a rank costs nothing.
  double equation1_s = 0;
  double vertex_imbalance = 1, edge_imbalance = 1;  ///< maximum over mean of the ranks; edges count at both ends
  double load_imbalance = 1;                        ///< of vertices + edges
  Edge between_leaves() const {
    Edge sum = 0;
    for (std::size_t l = 1; l < at_level.size(); ++l) sum += at_level[l];
    return sum;
  }
};
// [1] TuCOMM: Communication Hierarchy-aware Graph Engine for Distributed Model Training, section 3.2.

/// `owner` is the result of owners_of(). Collective.
PartitionQuality quality_of(World& world, const EdgeList& edges, const IdMap& ids, std::span<const Rank> owner,
                            const Hierarchy& machine, const Cost& cost);

}  // namespace atl
