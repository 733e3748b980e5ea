// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/first_rank.hpp>
#include <vector>

namespace atl {

/// An edge by the numbers of its ends.
struct Arc {
  Local from, to;
};

/// Strongly connected components of a graph that fits on rank 0, which finds them by depth-first search. Collective.
/// Vertices are numbered over all ranks, those of rank 0 first; `ids` are this rank's, and `arcs` its edges. Returns
/// for each of this rank's vertices the smallest id of its component.
///
/// Memory on rank 0: gathered_component_bytes() of all ranks' vertices and edges.
std::vector<Vertex> gathered_components(World& world, const std::vector<Vertex>& ids, std::vector<Arc> arcs);
inline double gathered_component_bytes(double vertices, double arcs) { return 44 * vertices + 12 * arcs; }

}  // namespace atl
