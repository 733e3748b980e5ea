// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/runtime/world.hpp>
#include <functional>

/// Checks for paths whose length exceeds the range of its type. Integers end at kNoPath, on a device where its kernels
/// say (DeviceMinPlus::no_path), and floats at infinity, so such a path would look like none.
///
///     check_sums(arcs, semiring);                  // before: no sum leaves the type
///     ...                                          // all pairs
///     check_no_path_is_lost(world, arcs, semiring, d);     // after: where d has no path, there is none
///
/// Both return at once if (n - 1) times the greatest weight fits the type: then every path does.
namespace atl {

class Device;

/// Local. Throws InputError, the same on all ranks with the same arcs, if path lengths fall so far below 0 (over
/// max_plus rise so far above) that Floyd-Warshall would confuse them with "no path" or with a sum of it; also for an
/// improving cycle, like refuse_negative_cycle(). O(n m) at worst, nothing if every path fits. `device`: that computes,
/// if one does.
template <class T>
void check_sums(const ReplicatedCsr<T>& arcs, Semiring semiring, const Device* device = nullptr);

/// Collective. Throws InputError, the same on all ranks, that names a pair which has a path in the graph and none in
/// `d`, with its length. `d` must be complete. One pass over `d`, and reached_counts() if a pair has no path. `device`:
/// that has computed `d`, if one has.
template <class T>
void check_no_path_is_lost(World& world, const ReplicatedCsr<T>& arcs, Semiring semiring, const Distances<T>& d,
                           const Device* device = nullptr);
/// The same, local, of distances by min_plus of which [vertex] so many paths were found, and whose rows can be read.
template <class T>
void check_no_path_is_lost(Team& team, const ReplicatedCsr<T>& arcs, std::span<const Vertex> found,
                           const std::function<std::vector<T>(Vertex)>& row_of);

/// Whether 64-bit integers hold the sum of any path's weights exactly: whole numbers whose sums stay below 2^62.
bool has_exact_sums(const ReplicatedCsr<double>& arcs, Semiring semiring);
/// Whether such sums may exceed what float64 holds exactly.
bool may_round_whole_sums(const ReplicatedCsr<double>& arcs, Semiring semiring);
/// Collective; `d` must be complete. Throws InputError, the same on all ranks, that names a pair and its length if
/// whole weights add up to a sum beyond 2^53 that float64 has rounded. Returns at once if no distance is that long;
/// else O(n m).
void check_whole_sums(World& world, const ReplicatedCsr<double>& arcs, Semiring semiring, const Distances<double>& d);

/// [vertex] how many vertices it reaches, itself included. Local. O(n + m) if every arc has a reverse arc, else n_s/512
/// passes over the arcs between the n_s strongly connected components.
template <class T>
std::vector<Vertex> reached_counts(Team& team, const ReplicatedCsr<T>& arcs);

}  // namespace atl
