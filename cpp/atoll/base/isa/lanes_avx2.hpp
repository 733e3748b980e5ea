// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

/// Masks of lanes as bits, which AVX-512 has and AVX2 lacks. For files compiled for AVX2.
namespace atl::avx2 {

/// All bits of lane i set where bit i of `bits` is.
inline __m256i lanes_of(unsigned bits) {
  const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), each), each);
}

/// The sign bits of eight lanes.
inline unsigned signs_of(__m256i lanes) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}

namespace detail {
using Places = std::array<std::array<std::uint8_t, 8>, 256>;
/// [bits][i] the place of the i-th set bit.
inline constexpr Places kCompress = [] {
  Places places{};
  for (unsigned bits = 0; bits < 256; ++bits)
    for (unsigned bit = 0, n = 0; bit < 8; ++bit)
      if (bits >> bit & 1) places[bits][n++] = static_cast<std::uint8_t>(bit);
  return places;
}();
/// [bits][i] the number of set bits below bit i.
inline constexpr Places kExpand = [] {
  Places places{};
  for (unsigned bits = 0; bits < 256; ++bits)
    for (unsigned bit = 0, n = 0; bit < 8; ++bit) {
      places[bits][bit] = static_cast<std::uint8_t>(n);
      n += bits >> bit & 1;
    }
  return places;
}();
inline __m256i permuted(__m256i lanes, const std::array<std::uint8_t, 8>& places) {
  const __m128i packed = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places.data()));
  return _mm256_permutevar8x32_epi32(lanes, _mm256_cvtepu8_epi32(packed));
}
}  // namespace detail

/// The lanes whose bit is set come first, in order; the others are of no use.
inline __m256i compressed(__m256i lanes, unsigned bits) { return detail::permuted(lanes, detail::kCompress[bits]); }
/// The first lanes go where a bit is set, in order; the others are of no use.
inline __m256i expanded(__m256i lanes, unsigned bits) { return detail::permuted(lanes, detail::kExpand[bits]); }

}  // namespace atl::avx2
