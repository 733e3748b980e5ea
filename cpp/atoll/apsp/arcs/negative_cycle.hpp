// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/arcs/replicated_csr.hpp>

/// Negative cycles, around which paths get shorter without end.
///
///     if (arcs.has_negative() && saw_negative_diagonal) refuse_negative_cycle(arcs);      // throws
namespace atl {

/// The vertices of one negative cycle along its arcs, the least first; empty if there is none. An undirected edge of
/// negative weight is a cycle of two vertices. Bellman-Ford, O(n m) at worst; local.
template <class T>
std::vector<Local> find_negative_cycle(const ReplicatedCsr<T>& arcs);

/// [vertex] potentials h with h(tail) + w >= h(head) for each arc: w + h(tail) - h(head) is never negative and has the
/// same shortest paths. Throws like refuse_negative_cycle(). O(n m) at worst, O(n + m) if no weight is negative; local.
template <class T>
std::vector<PathSum<T>> potentials(const ReplicatedCsr<T>& arcs);

/// Throws the InputError that names this cycle by original ids, with its weight.
template <class T>
[[noreturn]] void refuse_negative_cycle(const ReplicatedCsr<T>& arcs, const std::vector<Local>& cycle);
/// Finds a negative cycle and throws. Throws InputError in any case, also for a cycle that only rounding has made
/// negative.
template <class T>
[[noreturn]] void refuse_negative_cycle(const ReplicatedCsr<T>& arcs);

}  // namespace atl
