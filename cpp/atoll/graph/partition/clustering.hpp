// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// Groups of neighbours of bounded weight, over ranks: label propagation with a limit on size [1]. In each round half
/// of the vertices ask to join the group that most of their edges lead to; the rank that owns the vertex which a group
/// is named after admits them, heaviest connections first, while they fit. So the groups are the same whatever the number of
/// ranks.
///
/// [1] H. Meyerhenke, P. Sanders, C. Schulz. "Parallel graph partitioning for complex networks." IEEE TPDS 28(9), 2017.
namespace atl {

struct ClusterOptions {
  Edge limit = 0;                ///< weight of a group; heavier vertices stay alone
  Edge most_degree = INT64_MAX;  ///< vertices of a higher degree stay alone
  int rounds = 6;
  bool bin_leftovers = false;  ///< who finds no room is put together with others that wanted into the same group
};

/// [local master] the dense number of the vertex that its group is named after. `weight` is by local master.
/// Vertices without edges stay alone. Edge weights count, directions do not. Collective.
std::vector<Vertex> cluster(const Graph& graph, std::span<const Edge> weight, const ClusterOptions& options);

}  // namespace atl
