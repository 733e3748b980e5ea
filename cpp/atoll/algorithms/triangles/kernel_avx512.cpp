// SPDX-License-Identifier: Apache-2.0
// Processes 64 counters of a tally, and 16 marks of a list, at a time.
#include <immintrin.h>

#include <atoll/algorithms/triangles/kernel.hpp>
#include <atoll/algorithms/triangles/short_fronts.hpp>

namespace atl {
namespace {

int match_row(const std::uint64_t* row, const std::uint32_t* words, const std::uint64_t* bits, std::size_t count,
              std::uint8_t* tally) {
  const __m512i one = _mm512_set1_epi8(1);
  long long found = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t both = row[words[k]] & bits[k];
    found += _mm_popcnt_u64(both);
    std::uint8_t* const counts = tally + k * 64;
    _mm512_storeu_si512(counts,
                        _mm512_mask_add_epi8(_mm512_loadu_si512(counts), both, _mm512_loadu_si512(counts), one));
  }
  return static_cast<int>(found);
}

std::size_t match_list(const std::uint32_t* marks, const Local* list, std::size_t size, Local* found) {
  std::size_t n = 0;
  const __m512i one = _mm512_set1_epi32(1), low = _mm512_set1_epi32(31);
  for (std::size_t i = 0; i < size; i += 16) {
    const auto lanes = static_cast<__mmask16>(size - i >= 16 ? 0xffff : (1u << (size - i)) - 1);
    const __m512i w = _mm512_maskz_loadu_epi32(lanes, list + i);
    const __m512i word = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), lanes, _mm512_srli_epi32(w, 5), marks, 4);
    const __mmask16 set = _mm512_test_epi32_mask(word, _mm512_sllv_epi32(one, _mm512_and_si512(w, low)));
    if (set == 0) continue;
    _mm512_storeu_si512(found + n, _mm512_maskz_compress_epi32(set, w));
    n += static_cast<std::size_t>(_mm_popcnt_u32(set));
  }
  return n;
}

// Four vertices are compared with a record and its three rotations.
struct Lanes4 {
  static constexpr std::size_t kWidth = 4;
  __m128i record;

  static Lanes4 load(const Local* record) { return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(record))}; }
  unsigned among(const Local* list) const {
    const __m128i each = _mm_loadu_si128(reinterpret_cast<const __m128i*>(list));
    const auto equal = [&](__m128i turned) { return _mm_cmpeq_epi32(record, turned); };
    const __m128i some = _mm_or_si128(equal(each), equal(_mm_shuffle_epi32(each, 0x39)));
    const __m128i others = _mm_or_si128(equal(_mm_shuffle_epi32(each, 0x4e)), equal(_mm_shuffle_epi32(each, 0x93)));
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(_mm_or_si128(some, others))));
  }
};

struct Lanes8 {
  static constexpr std::size_t kWidth = 8;
  __m256i record;

  static Lanes8 load(const Local* record) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(record))}; }
  unsigned among(const Local* list) const {
    const __m256i each = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(list)));
    const auto equal = [&](__m256i turned) { return _mm256_cmpeq_epi32(record, turned); };
    const __m256i some = _mm256_or_si256(equal(each), equal(_mm256_shuffle_epi32(each, 0x39)));
    const __m256i others =
        _mm256_or_si256(equal(_mm256_shuffle_epi32(each, 0x4e)), equal(_mm256_shuffle_epi32(each, 0x93)));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(some, others))));
  }
};

}  // namespace

LocalTriangles::Kernels triangle_kernels_avx512() {
  return {match_row, match_list, close_short_fronts<Lanes4>, close_short_fronts<Lanes8>};
}

}  // namespace atl
