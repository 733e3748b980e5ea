// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

/// Costs between ranks that were measured pair by pair: n x n matrices by rows, in seconds, symmetric, infinite where a
/// pair was not measured; the diagonal is ignored.
///
///     infer_costs(seconds);
///     const Hierarchy h = cluster(seconds, clustering_thresholds(seconds));   // cost.hpp
///
/// Both look at the heights at which single linkage joins ranks, which are the edges of a minimum spanning tree: a
/// disturbed measurement is too long, and is no edge of it unless all others across the same gap are disturbed too.
namespace atl {

/// Gives each pair that was not measured the cost of the best chain of measured pairs between the two, which is that of
/// its most expensive pair. In a machine that is a tree of domains this is the pair's own cost if a chain of pairs that
/// are no farther apart was measured, and too high otherwise. Throws InputError if two ranks have no chain.
/// O(ranks^2).
void infer_costs(std::span<double> cost);

/// The thresholds for cluster(): where the heights, in ascending order, grow by more than the factor `jump` from one to
/// the next, the geometric mean of both. None: the ranks are equally far from each other, or nearly. O(ranks^2).
std::vector<double> clustering_thresholds(std::span<const double> cost, double jump = 1.5);

}  // namespace atl
