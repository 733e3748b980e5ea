// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/clustering_coefficient.hpp>

namespace atl {

/// What clustering_coefficient() does on one rank. InputError if the graph is spread over several. Memory beside the graph:
/// 5 bytes for each pair of neighbours, and for each thread 9 or 17 (directed) a vertex.
ClusteringResult clustering_local(const Graph& graph);

}  // namespace atl
