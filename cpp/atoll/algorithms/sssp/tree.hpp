// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/trace.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

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

/// The findings of a search, by local number.
template <class Sum>
struct SsspFound {
  std::span<const Sum> distance;  ///< masters and their mirrors; on one rank those without edges may be left out
  std::span<const SsspTrace<Sum>> trace;  ///< masters with an edge, or none
  /// The masters with an edge that were reached, if these are few.
  std::optional<std::vector<Local>> reached = {};
};

/// Writes distances, and parents if there is to be a `tree`, by owned index; where the reached vertices are listed, only theirs and those that an
/// earlier run listed in the same result. `source`: -1 where another rank owns it. Collective. InputError, the same on
/// all ranks, if Real would round a distance that 64 bits hold exactly. O(edges), if no edge changes a distance also.
template <class Real, class Sum>
void write_paths(const Graph& graph, Local source, const SsspFound<Sum>& found, bool tree, SsspResult<Real>& result);

}  // namespace atl
