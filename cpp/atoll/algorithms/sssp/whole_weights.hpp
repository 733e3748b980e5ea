// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// Doubles hold all whole numbers up to here exactly; floats up to 2^24.
inline constexpr double kMostExact = 0x1p53;

/// Whether to use Sssp<double>: the weights are double, or they are whole numbers in float, whose sums in double do not
/// depend on ranks and routes. Collective.
bool needs_double_sums(const Graph& graph);

/// An upper bound on the length of any shortest path if all weights are whole numbers >= 0, else infinity: the smaller
/// of n times the greatest weight and the sum of all weights. Collective. O(m).
double longest_whole_path(const Graph& graph);
/// Whether double could round a path of this length and 64 bits hold it exactly; longer ones are summed in double.
constexpr bool may_round_whole(double longest) { return longest >= kMostExact && longest < 0x1p62; }

}  // namespace atl
