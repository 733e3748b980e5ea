// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <cstddef>

/// Choices that betweenness makes alike on one rank and over ranks.
namespace atl {

/// The forward phase pulls when the frontier has more than 1 / this of the edges that enter unseen vertices: unlike in
/// a search, a pull reads all of these edges and does not stop at the first hit.
inline constexpr Edge kBetweennessAlpha = 12;
/// Vertices of the whole graph that a thread takes at a time to pull.
inline constexpr std::size_t kBetweennessPullGrain = 512;

}  // namespace atl
