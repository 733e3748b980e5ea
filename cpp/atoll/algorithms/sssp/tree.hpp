// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/sssp/sssp.hpp>
#include <cstdint>
#include <limits>
#include <span>

/// The tree of shortest paths, found from the distances, for each method of class Sssp.
namespace atl {

/// The distance of an unreached vertex. For unsigned types it leaves room to add a weight without overflow: 2^31 - 1 of
/// 32 bits, 2^62 of 64 bits (which a double represents).
template <class Sum>
inline constexpr Sum kSsspUnreached = std::numeric_limits<Sum>::infinity();
template <>
inline constexpr std::uint32_t kSsspUnreached<std::uint32_t> = 0x7fffffff;
template <>
inline constexpr std::uint64_t kSsspUnreached<std::uint64_t> = std::uint64_t{1} << 62;

/// The vertex from which the distance `reached` was relaxed; its own distance was smaller.
template <class Sum>
struct alignas(2 * sizeof(Sum)) SsspPredecessor {
  Local vertex;
  Sum reached;
};

/// Writes distances and parents by owned index. `distance`: those of masters and of their mirrors; on one rank those
/// without edges may be left out. `predecessor`: one for each master with an edge, -1 if there is none, or no entries.
/// `source`: -1 where another rank owns it. Collective. InputError, the same on all ranks, if Real would round a
/// distance that 64 bits hold exactly. O(edges), if no edge changes a distance also.
template <class Real, class Sum>
void write_tree(const Graph& graph, Local source, std::span<const Sum> distance,
                std::span<const SsspPredecessor<Sum>> predecessor, SsspResult<Real>& result);

}  // namespace atl
