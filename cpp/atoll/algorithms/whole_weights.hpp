// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// Doubles add up whole numbers up to here without rounding; floats up to 2^24.
inline constexpr double kMostExact = 0x1p53;

/// Whether paths are to be added up as doubles (Sssp<double>): the weights are, or they are whole numbers, whose sums are
/// then exact up to kMostExact whatever the ranks and routes. Collective.
bool needs_double_sums(const Graph& graph);

}  // namespace atl
