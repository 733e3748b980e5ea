// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>
#include <atoll/base/types.hpp>
#include <atoll/matrix/semiring.hpp>

/// Inner loops of multi-source searches: each vertex has one value per source, stored side by side (its lanes). For
/// delta_rows.cpp and breadth_first_rows.cpp.
namespace atl {

/// Distances per vertex: two cache lines.
template <class T>
inline constexpr std::size_t kLanes = 128 / sizeof(T);

template <class T>
struct LaneKernels {
  /// lanes[heads[e]] <- min(lanes[heads[e]], from + weights[e]) for `count` arcs of weight >= 0. Writes to `improved`
  /// every e that improved any lane, and returns their number. `from` is a vertex's lanes, and not among those of the
  /// heads.
  std::int64_t (*relax)(const T* from, T* lanes, const Local* heads, const T* weights, std::int64_t count,
                        Local* improved);
};

/// Breadth-first searches per vertex: one cache line, one bit each.
inline constexpr std::size_t kSearches = 512;
struct alignas(64) SearchBits {
  std::uint64_t words[kSearches / 64];
};

struct BitKernels {
  /// `found` <- the union of the frontiers of `count` neighbours without `seen`. Adds it to `seen`, sets levels[search]
  /// to `level` for each of these searches, and returns false if it is empty.
  bool (*pull)(const SearchBits* frontier, const Local* neighbours, std::int64_t count, SearchBits& seen,
               SearchBits& found, std::uint8_t* levels, std::uint8_t level);
};

template <class T>
LaneKernels<T> lane_kernels(Isa isa);
BitKernels bit_kernels(Isa isa);

}  // namespace atl
