// SPDX-License-Identifier: Apache-2.0
// Gathers sixteen hub values at a time, with two gathers in flight.
#include <immintrin.h>

#include <atoll/algorithms/pagerank/degree_split.hpp>

namespace atl {
namespace {

void sum_rows(const float* x, const DegreeSplitCsr::HubId* ids, const std::uint32_t* counts, std::size_t rows,
              float* sums) {
  for (std::size_t r = 0; r < rows; ++r) {
    const DegreeSplitCsr::HubId* const end = ids + counts[r];
    __m512 even = _mm512_setzero_ps(), odd = _mm512_setzero_ps();
    for (; end - ids >= 32; ids += 32) {
      const __m512i both = _mm512_loadu_si512(ids);
      even = _mm512_add_ps(even, _mm512_i32gather_ps(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(both)), x, 4));
      odd = _mm512_add_ps(odd, _mm512_i32gather_ps(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(both, 1)), x, 4));
    }
    for (; ids < end; ids += 16) {
      const auto lanes = static_cast<__mmask16>(end - ids >= 16 ? 0xffff : (1u << (end - ids)) - 1);
      const __m512i at = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, ids));
      even = _mm512_add_ps(even, _mm512_mask_i32gather_ps(_mm512_setzero_ps(), lanes, at, x, 4));
    }
    ids = end;
    sums[r] = _mm512_reduce_add_ps(_mm512_add_ps(even, odd));
  }
}

}  // namespace

SumRows<float> pagerank_sum_rows_avx512() { return sum_rows; }

}  // namespace atl
