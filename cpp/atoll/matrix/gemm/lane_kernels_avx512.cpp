// SPDX-License-Identifier: Apache-2.0
#include <atoll/matrix/gemm/lane_loops.hpp>
#include <atoll/matrix/gemm/x86_vectors.hpp>

namespace atl {
namespace {

std::uint64_t less(Float, Vector x, Vector y) { return _mm512_cmp_ps_mask(Float::f(x), Float::f(y), _CMP_LT_OQ); }
std::uint64_t less(Double, Vector x, Vector y) { return _mm512_cmp_pd_mask(Double::d(x), Double::d(y), _CMP_LT_OQ); }
std::uint64_t less(Int32, Vector x, Vector y) { return _mm512_cmplt_epi32_mask(x, y); }
std::uint64_t less(Uint16, Vector x, Vector y) { return _mm512_cmplt_epu16_mask(x, y); }
std::uint64_t less(Uint8, Vector x, Vector y) { return _mm512_cmplt_epu8_mask(x, y); }

template <class L, class T = typename L::Value>
std::int64_t relax(const T* from, T* lanes, const Local* heads, const T* weights, std::int64_t count, Local* improved) {
  constexpr std::size_t kHalf = kLanes<T> / 2;
  const auto from0 = L::load_any(from), from1 = L::load_any(from + kHalf);
  std::int64_t found = 0;
  for (std::int64_t e = 0; e < count; ++e) {
    T* to = lanes + static_cast<std::size_t>(heads[e]) * kLanes<T>;
    const auto weight = L::all(weights[e]);
    const auto old0 = L::load_any(to), old1 = L::load_any(to + kHalf);
    const auto through0 = L::sum(from0, weight), through1 = L::sum(from1, weight);
    L::store(to, L::min(through0, old0));
    L::store(to + kHalf, L::min(through1, old1));
    improved[found] = static_cast<Local>(e);
    found += (less(L{}, through0, old0) | less(L{}, through1, old1)) != 0;
  }
  return found;
}

bool pull(const SearchBits* frontier, const Local* neighbours, std::int64_t count, SearchBits& seen, SearchBits& found,
          std::uint8_t* levels, std::uint8_t level) {
  const __m512i known = _mm512_load_si512(&seen), missing = _mm512_andnot_si512(known, _mm512_set1_epi32(-1));
  __m512i sum = _mm512_setzero_si512();
  for (std::int64_t e = 0; e < count;) {
    constexpr std::int64_t kBetweenLooks = 16;  // neighbours between two tests whether all searches are found
    for (const std::int64_t end = e + kBetweenLooks < count ? e + kBetweenLooks : count; e < end; ++e)
      sum = _mm512_or_si512(sum, _mm512_load_si512(frontier + neighbours[e]));
    if (_mm512_test_epi64_mask(_mm512_andnot_si512(sum, missing), missing) == 0) break;
  }
  const __m512i fresh = _mm512_and_si512(sum, missing);
  _mm512_store_si512(&found, fresh);
  if (_mm512_test_epi64_mask(fresh, fresh) == 0) return false;
  _mm512_store_si512(&seen, _mm512_or_si512(known, fresh));
  const __m512i value = _mm512_set1_epi8(static_cast<char>(level));
  for (std::size_t w = 0; w < kSearches / 64; ++w)
    if (found.words[w]) _mm512_mask_storeu_epi8(levels + 64 * w, found.words[w], value);
  return true;
}

}  // namespace

template <class T>
LaneKernels<T> lane_kernels_avx512() {
  if constexpr (std::is_same_v<T, float>) return {.relax = &relax<Float>};
  if constexpr (std::is_same_v<T, double>) return {.relax = &relax<Double>};
  if constexpr (std::is_same_v<T, std::int32_t>) return {.relax = &relax<Int32>};
  if constexpr (std::is_same_v<T, std::uint16_t>) return {.relax = &relax<Uint16>};
  if constexpr (std::is_same_v<T, std::uint8_t>) return {.relax = &relax<Uint8>};
}
BitKernels bit_kernels_avx512() { return {.pull = &pull}; }

template LaneKernels<float> lane_kernels_avx512();
template LaneKernels<double> lane_kernels_avx512();
template LaneKernels<std::int32_t> lane_kernels_avx512();
template LaneKernels<std::uint16_t> lane_kernels_avx512();
template LaneKernels<std::uint8_t> lane_kernels_avx512();

}  // namespace atl
