// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// Doubles add up whole numbers up to here without rounding; floats up to 2^24.
inline constexpr double kMostExact = 0x1p53;

/// Whether paths are to be added up as doubles (Sssp<double>): the weights are, or they are whole numbers, whose sums are
/// then exact whatever the ranks and routes. Collective.
bool needs_double_sums(const Graph& graph);

/// No path is longer where all weights are whole numbers from 0 on, else infinity: n times the greatest,
/// or the sum of all if that is less. Collective. O(m).
double longest_whole_path(const Graph& graph);
/// Whether double could round such paths, and 64 bits hold them; longer ones are rounded as fractions are.
constexpr bool may_round_whole(double longest) { return longest >= kMostExact && longest < 0x1p62; }

}  // namespace atl
