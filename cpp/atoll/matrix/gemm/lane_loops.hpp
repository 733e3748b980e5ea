// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/lane_kernels.hpp>
#include <bit>
#include <type_traits>

/// The kernels as loops that compilers vectorize. Included by each lane_kernels_<isa>.cpp with internal linkage,
/// because each is compiled for another processor.
namespace atl {

template <class T>
LaneKernels<T> lane_kernels_portable();
template <class T>
LaneKernels<T> lane_kernels_avx2();
template <class T>
LaneKernels<T> lane_kernels_avx512();
BitKernels bit_kernels_portable();
BitKernels bit_kernels_avx2();
BitKernels bit_kernels_avx512();

namespace {

template <class T>
T lane_sum(T a, T b) {
  const T sum = static_cast<T>(a + b);
  if constexpr (std::is_unsigned_v<T>) return sum < a ? kNoPath<T> : sum;
  return sum;  // for int32: below twice kNoPath, so it never becomes the minimum
}

template <class T>
std::int64_t relax_by_loops(const T* from, T* lanes, const Local* heads, const T* weights, std::int64_t count,
                            Local* improved) {
  std::int64_t found = 0;
  for (std::int64_t e = 0; e < count; ++e) {
    T* to = lanes + static_cast<std::size_t>(heads[e]) * kLanes<T>;
    const T weight = weights[e];
    T less = 0;
    for (std::size_t l = 0; l < kLanes<T>; ++l) {
      const T through = lane_sum(from[l], weight), old = to[l];
      to[l] = through < old ? through : old;
      less = through < old ? T{1} : less;
    }
    improved[found] = static_cast<Local>(e);
    found += less != 0;
  }
  return found;
}

inline bool pull_by_loops(const SearchBits* frontier, const Local* neighbours, std::int64_t count, SearchBits& seen,
                          SearchBits& found, std::uint8_t* levels, std::uint8_t level) {
  constexpr std::size_t kWords = kSearches / 64;
  SearchBits sum{};
  for (std::int64_t e = 0; e < count; ++e)
    for (std::size_t w = 0; w < kWords; ++w) sum.words[w] |= frontier[neighbours[e]].words[w];
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < kWords; ++w) {
    std::uint64_t fresh = sum.words[w] & ~seen.words[w];
    any |= fresh;
    found.words[w] = fresh;
    seen.words[w] |= fresh;
    for (; fresh; fresh &= fresh - 1) levels[64 * w + static_cast<std::size_t>(std::countr_zero(fresh))] = level;
  }
  return any != 0;
}

}  // namespace
}  // namespace atl
