// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa.hpp>
#include <atoll/base/types.hpp>
#include <atoll/matrix/semiring.hpp>

/// Inner loops of searches from many sources at once: a vertex has a value for each source, its lanes, side by side.
/// For delta_rows.cpp and breadth_first_rows.cpp.
namespace atl {

/// Of distances: two cache lines.
template <class T>
inline constexpr std::size_t kLanes = 128 / sizeof(T);

template <class T>
struct LaneKernels {
  /// lanes[heads[e]] <- min(lanes[heads[e]], from + weights[e]) for `count` arcs of weight >= 0. Writes to `improved` which
  /// e have got less in any lane, and returns how many. `from` is a vertex's lanes, but none of the heads'.
  std::int64_t (*relax)(const T* from, T* lanes, const Local* heads, const T* weights, std::int64_t count,
                        Local* improved);
};

/// Of breadth-first searches: one cache line, a bit each.
inline constexpr std::size_t kSearches = 512;
struct alignas(64) SearchBits {
  std::uint64_t words[kSearches / 64];
};

struct BitKernels {
  /// New at a vertex: the union of the frontiers of `count` neighbours, without what it has `seen`, to which it is added,
  /// and levels[search] becomes `level`. False if there is none.
  bool (*pull)(const SearchBits* frontier, const Local* neighbours, std::int64_t count, SearchBits& seen,
               SearchBits& found, std::uint8_t* levels, std::uint8_t level);
};

template <class T>
LaneKernels<T> lane_kernels(Isa isa);
BitKernels bit_kernels(Isa isa);

}  // namespace atl
