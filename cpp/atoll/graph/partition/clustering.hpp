// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// Clusters of bounded weight, over ranks: size-constrained label propagation [1]. In each round half of the vertices
/// request to join the group to which they have the heaviest connection. A group is labelled by a vertex, whose owner
/// admits requests, heaviest connections first, while they fit. So the groups do not depend on the number of ranks.
///
/// [1] H. Meyerhenke, P. Sanders, C. Schulz. "Parallel graph partitioning for complex networks." IEEE TPDS 28(9), 2017.
namespace atl {

struct ClusterOptions {
  Edge limit = 0;                ///< maximum weight of a group; heavier vertices are groups of one
  Edge most_degree = INT64_MAX;  ///< vertices of a higher degree are groups of one
  int rounds = 6;
  bool bin_leftovers = false;  ///< group rejected vertices with others that requested the same group
};

/// Returns, by local master, the dense number of the vertex that labels its group. `weight` is by local master.
/// Vertices without edges are groups of one. Edge weights count, directions do not. Collective.
std::vector<Vertex> cluster(const Graph& graph, std::span<const Edge> weight, const ClusterOptions& options);

}  // namespace atl
