// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// Converts a graph back to an edge list with original ids; returns this rank's slice. Undirected edges are in it once;
/// vertices without edges are in `vertices`.
EdgeList edge_list_of(const Graph& graph);

}  // namespace atl
