// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/distances.hpp>
#include <atoll/apsp/replicated_csr.hpp>
#include <atoll/runtime/world.hpp>

/// Paths whose lengths their type does not hold: integers end at kNoPath and floats at infinity, so such a path would be
/// none.
///
///     check_sums(arcs, semiring);                  // before: no sum leaves the type
///     ...                                          // all pairs
///     check_no_path_is_lost(world, arcs, semiring, d);     // after: where d has no path, there is none
///
/// Both cost nothing where (n - 1) times the greatest weight fits: then every path does.
namespace atl {

/// Local. Throws InputError, alike on all ranks that have the same arcs: where paths get so far below 0 (over max_plus above)
/// that Floyd-Warshall could not tell them, or no path plus them, from what they are; a cycle that gains, as
/// refuse_gain_cycle() does. O(n m) at worst, nothing where every path fits.
template <class T>
void check_sums(const ReplicatedCsr<T>& arcs, Semiring semiring);

/// Collective. Throws InputError, the same on all ranks, that names a pair which has a path in the graph and none in `d`,
/// with the length. `d` must be complete. One pass over it, and reached_counts() if it has a pair without a path.
template <class T>
void check_no_path_is_lost(World& world, const ReplicatedCsr<T>& arcs, Semiring semiring, const Distances<T>& d);

/// Whether 64-bit integers add up the weights of any path as they are: whole numbers whose sums stay below 2^62.
bool has_exact_sums(const ReplicatedCsr<double>& arcs, Semiring semiring);
/// Whether these are more than float64 holds for sure.
bool may_round_whole_sums(const ReplicatedCsr<double>& arcs, Semiring semiring);
/// Collective; `d` must be complete. Throws InputError, the same on all ranks, that names a pair and its length, where
/// whole weights add up to one beyond 2^53 that float64 has rounded. Nothing to do where no distance is as long; else
/// O(n m).
void check_whole_sums(World& world, const ReplicatedCsr<double>& arcs, Semiring semiring, const Distances<double>& d);

/// [vertex] how many vertices it reaches, itself among them. Local. O(n + m) where every arc has a way back, else by
/// n_s/512 passes over the arcs between the n_s strongly connected components.
template <class T>
std::vector<Vertex> reached_counts(Team& team, const ReplicatedCsr<T>& arcs);

}  // namespace atl
