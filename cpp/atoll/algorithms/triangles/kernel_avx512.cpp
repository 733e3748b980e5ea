// SPDX-License-Identifier: Apache-2.0
// Processes 64 counters of a tally, and 16 marks of a list, at a time.
#include <immintrin.h>

#include <atoll/algorithms/triangles/kernel.hpp>

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

}  // namespace

LocalTriangles::Kernels triangle_kernels_avx2();

// Records have at most eight entries, which fill a register of AVX2.
LocalTriangles::Kernels triangle_kernels_avx512() {
  const LocalTriangles::Kernels narrow = triangle_kernels_avx2();
  return {match_row, match_list, narrow.close_4, narrow.close_8};
}

}  // namespace atl
