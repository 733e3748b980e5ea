// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// The edges of a graph as a list again, with original ids: this rank's share. Undirected ones are there once; vertices
/// without edges are among `vertices`.
EdgeList edge_list_of(const Graph& graph);

}  // namespace atl
