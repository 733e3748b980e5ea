// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/paths/path_sum.hpp>
#include <atoll/apsp/replicated_csr.hpp>

/// Cycles around which paths get ever shorter, so that none is the shortest.
///
///     if (arcs.has_negative() && saw_negative_diagonal) refuse_negative_cycle(arcs);      // throws
namespace atl {

/// The vertices of one negative cycle along its arcs, the least first; empty if there is none. An undirected edge of
/// negative weight is one of two vertices. Bellman and Ford's, O(n m) at worst; local.
template <class T>
std::vector<Local> find_negative_cycle(const ReplicatedCsr<T>& arcs);

/// [vertex] h with h(tail) + w >= h(head) for each arc: w + h(tail) - h(head) is never negative, and has the same shortest
/// paths. Throws as refuse_negative_cycle() does. O(n m) at worst, O(n + m) where no weight is negative; local.
template <class T>
std::vector<PathLength<T>> potentials(const ReplicatedCsr<T>& arcs);

/// Throws the InputError that names this cycle by original ids, with its weight.
template <class T>
[[noreturn]] void refuse_negative_cycle(const ReplicatedCsr<T>& arcs, const std::vector<Local>& cycle);
/// Finds one first; throws InputError in any case: of a cycle that rounding only has made negative, too.
template <class T>
[[noreturn]] void refuse_negative_cycle(const ReplicatedCsr<T>& arcs);

}  // namespace atl
