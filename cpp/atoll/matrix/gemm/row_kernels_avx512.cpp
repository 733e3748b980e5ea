// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <atoll/matrix/gemm/row_loops.hpp>
#include <cstring>
#include <limits>

namespace atl {
namespace {

/// Expands `values` into the lanes of kBytes selected by `positions`; the other lanes keep those of `others`.
template <std::size_t kBytes>
__m512i expand(__m512i others, std::uint64_t positions, __m512i values) {
  if constexpr (kBytes == 1) return _mm512_mask_expand_epi8(others, positions, values);
  if constexpr (kBytes == 2) return _mm512_mask_expand_epi16(others, static_cast<__mmask32>(positions), values);
  if constexpr (kBytes == 4) return _mm512_mask_expand_epi32(others, static_cast<__mmask16>(positions), values);
  if constexpr (kBytes == 8) return _mm512_mask_expand_epi64(others, static_cast<__mmask8>(positions), values);
}

/// Rows are too large to be worth caching: whole cache lines are written by streaming stores, which also saves reading
/// them first.
bool lies_on_a_line(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

template <class T>
void spread(MaskedValues<T> some, MaskedValues<T> others, std::span<T> row) {
  constexpr std::size_t kLanes = 64 / sizeof(T);
  constexpr std::uint64_t kAll = kLanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << kLanes % 64) - 1;
  T filled[kLanes];
  for (T& x : filled) x = kNoPath<T>;
  const __m512i none = _mm512_loadu_si512(filled);
  std::size_t begin = 0;
  const auto put = [&](MaskedValues<T>& from, __m512i into) {
    const std::uint64_t here = from.positions[begin / 64] >> begin % 64 & kAll;
    const __m512i out = expand<sizeof(T)>(into, here, _mm512_loadu_si512(from.values));
    from.values += _mm_popcnt_u64(here);
    return out;
  };
  if (lies_on_a_line(row.data())) {
    for (; begin + kLanes <= row.size(); begin += kLanes)
      _mm512_stream_si512(reinterpret_cast<__m512i*>(row.data() + begin), put(others, put(some, none)));
    _mm_sfence();
  }
  for (; begin + kLanes <= row.size(); begin += kLanes)
    _mm512_storeu_si512(row.data() + begin, put(others, put(some, none)));
  if (begin < row.size()) {
    _mm512_storeu_si512(filled, put(others, put(some, none)));
    std::memcpy(row.data() + begin, filled, (row.size() - begin) * sizeof(T));
  }
}

template <class T>
void lengthen(T length, std::span<const T> from, T* to) {
  constexpr std::size_t kLanes = 64 / sizeof(T);
  std::size_t j = 0;
  if (lies_on_a_line(to)) {
    alignas(64) T line[kLanes];
    for (; j + kLanes <= from.size(); j += kLanes) {
      lengthen_loop(length, from.subspan(j, kLanes), line);
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + j), _mm512_load_si512(line));
    }
    _mm_sfence();
  }
  lengthen_loop(length, from.subspan(j), to + j);
}

/// For values narrower than 32 bits, 16 at a time: gathers the words at their positions and keeps the low parts.
template <class T>
  requires(sizeof(T) <= 2)
void gather_narrow(const T* from, const Local* positions, std::span<const T> lengths, T* to) {
  static_assert(kNoPath<T> == std::numeric_limits<T>::max());  // the value at which a sum saturates
  constexpr std::size_t kWords = 16;
  std::size_t i = 0;
  for (; i + kWords <= lengths.size(); i += kWords) {
    const __m512i words = _mm512_i32gather_epi32(_mm512_loadu_si512(positions + i), from, sizeof(T));
    if constexpr (sizeof(T) == 2) {
      const __m256i length = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lengths.data() + i));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_adds_epu16(_mm512_cvtepi32_epi16(words), length));
    } else {
      const __m128i length = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lengths.data() + i));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_adds_epu8(_mm512_cvtepi32_epi8(words), length));
    }
  }
  gather_loop(from, positions + i, lengths.subspan(i), to + i);
}

}  // namespace

template <class T>
RowKernels<T> row_kernels_avx512() {
  if constexpr (sizeof(T) <= 2) return {&spread<T>, &gather_narrow<T>, &lengthen<T>};
  return {&spread<T>, &gather_loop<T>, &lengthen<T>};
}

template RowKernels<float> row_kernels_avx512();
template RowKernels<double> row_kernels_avx512();
template RowKernels<std::int32_t> row_kernels_avx512();
template RowKernels<std::uint16_t> row_kernels_avx512();
template RowKernels<std::uint8_t> row_kernels_avx512();

}  // namespace atl
