// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs.hpp>
#include <atoll/apsp/distances.hpp>
#include <atoll/runtime/world.hpp>

/// Paths whose lengths their type does not hold: integers end at kNoPath and floats at infinity, so such a path would be
/// none.
///
///     check_sums(arcs);                            // before: no sum of negative weights leaves the type
///     ...                                          // all pairs
///     check_no_path_is_lost(world, arcs, d);       // after: where d has no path, there is none
///
/// Both cost nothing where (n - 1) times the greatest weight fits: then every path does.
namespace atl {

/// Local. Throws InputError, alike on all ranks that have the same arcs: where paths get so far below 0 that Floyd-Warshall
/// could not tell them, or no path plus them, from what they are; a negative cycle, as refuse_negative_cycle() does.
template <class T>
void check_sums(const Arcs<T>& arcs);

/// Collective. Throws InputError, the same on all ranks, that names a pair which has a path in the graph and none in `d`,
/// with the length. `d` must be complete. One pass over it, and reached_counts() if it has a pair without a path.
template <class T>
void check_no_path_is_lost(World& world, const Arcs<T>& arcs, const Distances<T>& d);

/// [vertex] how many vertices it reaches, itself among them. Local. O(n + m) where every arc has a way back, else by
/// n_s/512 passes over the arcs between the n_s strongly connected components.
template <class T>
std::vector<Vertex> reached_counts(Team& team, const Arcs<T>& arcs);

}  // namespace atl
