// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

namespace atl::cli {

/// Distinct vertices with an edge, at most `count`, the same whatever the number of ranks and the partition: positions in
/// the order of ids are drawn, and kept if the vertex there has one. Original ids. Collective.
std::vector<Vertex> draw_sources(const Graph& graph, int count, std::uint64_t seed);

}  // namespace atl::cli
