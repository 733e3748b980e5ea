// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <atoll/algorithms/bfs/pull_loop.hpp>
#include <atomic>
#include <bit>

namespace atl {
namespace {

// Whether the bits of 16 vertices are set, for the lanes of `lanes`.
__mmask16 test_bits(const std::uint64_t* bits, __m512i vertices, __mmask16 lanes) {
  const __m512i words =
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), lanes, _mm512_srli_epi32(vertices, 5), bits, 4);
  const __m512i bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(vertices, _mm512_set1_epi32(31)));
  return _mm512_mask_test_epi32_mask(lanes, words, bit);
}

struct Lanes {
  static constexpr std::size_t kCount = 16;

  static unsigned hits(const std::uint64_t* bits, const Local* targets, unsigned lanes) {
    return test_bits(bits, _mm512_loadu_si512(targets), static_cast<__mmask16>(lanes));
  }
  static void store_ids(std::uint32_t* to, const std::uint32_t* from, unsigned lanes) {
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(lanes), _mm512_loadu_si512(from));
  }
  static void store_ids(Vertex* to, const Vertex* from, unsigned lanes) {
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(lanes), _mm512_loadu_si512(from));
    _mm512_mask_storeu_epi64(to + 8, static_cast<__mmask8>(lanes >> 8), _mm512_loadu_si512(from + 8));
  }
  static void append(Local* to, Local first, unsigned lanes) {
    const __m512i each = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i vertices = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)), each);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(lanes), vertices));
  }
};

std::size_t claim(std::uint64_t* visited, const Local* targets, std::size_t n, Local* claimed) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1u << (n - i)) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(lanes, targets + i);
    // The gather is not atomic: if it misses a bit that another thread sets, the fetch_or sees it.
    for (unsigned open = lanes & ~static_cast<unsigned>(test_bits(visited, v, lanes)); open; open &= open - 1) {
      const Local u = targets[i + static_cast<std::size_t>(std::countr_zero(open))];
      const std::uint64_t bit = std::uint64_t{1} << (u & 63);
      claimed[count] = u;
      count += !(std::atomic_ref(visited[u >> 6]).fetch_or(bit, std::memory_order_relaxed) & bit);
    }
  }
  return count;
}

// Results are written once and not read soon: streaming stores keep the caches for the next search.
void to_owned_index_32(const OwnedIndexView<std::uint32_t>& view, std::size_t a, std::size_t b) {
  const OwnedIndexOrder& order = *view.order;
  const __m512i none = _mm512_set1_epi32(-1);
  for (std::size_t w = a; w < b; ++w) {
    const std::uint32_t* tail = view.parent + order.first_tail[w];
    const Local* hub = order.hub_list.data() + order.first_hub[w];
    const bool whole = w * 64 + 64 <= view.owned;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto tails = static_cast<__mmask16>(order.tail[w] >> (16 * k));
      const auto hubs = static_cast<__mmask16>(order.hub[w] >> (16 * k));
      __m512i parent = _mm512_mask_expandloadu_epi32(none, tails, tail);
      tail += std::popcount(static_cast<unsigned>(tails));
      if (hubs) {
        const __m512i at = _mm512_maskz_expandloadu_epi32(hubs, hub);
        hub += std::popcount(static_cast<unsigned>(hubs));
        parent = _mm512_mask_i32gather_epi32(parent, hubs, at, view.parent, 4);
      }
      const __mmask16 reached = _mm512_cmpneq_epi32_mask(parent, none);
      const __m512i minus = _mm512_set1_epi64(-1);
      const __m512i low =
          _mm512_mask_cvtepu32_epi64(minus, static_cast<__mmask8>(reached), _mm512_castsi512_si256(parent));
      const __m512i high =
          _mm512_mask_cvtepu32_epi64(minus, static_cast<__mmask8>(reached >> 8), _mm512_extracti64x4_epi64(parent, 1));
      Vertex* out = view.out + w * 64 + k * 16;
      if (whole) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(out), low);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(out + 8), high);
      } else {
        const std::size_t left = view.owned > w * 64 + k * 16 ? view.owned - (w * 64 + k * 16) : 0;
        const auto room = static_cast<__mmask16>(left >= 16 ? 0xffff : (1u << left) - 1);
        _mm512_mask_storeu_epi64(out, static_cast<__mmask8>(room), low);
        _mm512_mask_storeu_epi64(out + 8, static_cast<__mmask8>(room >> 8), high);
      }
    }
  }
  _mm_sfence();
}

}  // namespace

template <class Id>
void bfs_kernels_avx512(BfsKernels<Id>& kernels) {
  kernels.pull = pull_vectors<Lanes, Id>;
  kernels.claim = claim;
  if constexpr (sizeof(Id) == sizeof(std::uint32_t)) kernels.to_owned_index = to_owned_index_32;
}

template void bfs_kernels_avx512(BfsKernels<std::uint32_t>&);
template void bfs_kernels_avx512(BfsKernels<Vertex>&);

}  // namespace atl
