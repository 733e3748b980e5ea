// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/pull_loop.hpp>
#include <atoll/base/isa/lanes_avx2.hpp>
#include <atomic>
#include <bit>

namespace atl {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

// Lanes whose sign is the bit of the vertex; those not in `lanes` have none.
__m256i test_bits(const std::uint64_t* bits, __m256i vertices, __m256i lanes) {
  const __m256i words = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), reinterpret_cast<const int*>(bits),
                                                    _mm256_srli_epi32(vertices, 5), lanes, 4);
  return _mm256_sllv_epi32(words, _mm256_andnot_si256(vertices, _mm256_set1_epi32(31)));
}

struct Lanes {
  static constexpr std::size_t kCount = 8;

  static unsigned hits(const std::uint64_t* bits, const Local* targets, unsigned lanes) {
    return avx2::signs_of(test_bits(bits, load(targets), avx2::lanes_of(lanes)));
  }
  static void store_ids(std::uint32_t* to, const std::uint32_t* from, unsigned lanes) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(to), avx2::lanes_of(lanes), load(from));
  }
  static void store_ids(Vertex* to, const Vertex* from, unsigned lanes) {
    auto* const wide = reinterpret_cast<long long*>(to);
    const __m256i narrow = avx2::lanes_of(lanes);
    _mm256_maskstore_epi64(wide, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(narrow)), load(from));
    _mm256_maskstore_epi64(wide + 4, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(narrow, 1)), load(from + 4));
  }
  static void append(Local* to, Local first, unsigned lanes) {
    const __m256i each = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i vertices = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)), each);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), avx2::compressed(vertices, lanes));
  }
};

std::size_t claim(std::uint64_t* visited, const Local* targets, std::size_t n, Local* claimed) {
  std::size_t count = 0;
  const auto claim_one = [&](Local v) {
    const std::uint64_t bit = std::uint64_t{1} << (v & 63);
    claimed[count] = v;
    count += !(std::atomic_ref(visited[v >> 6]).fetch_or(bit, std::memory_order_relaxed) & bit);
  };
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    // The gather is not atomic: if it misses a bit that another thread sets, the fetch_or sees it.
    const __m256i bits = test_bits(visited, load(targets + i), _mm256_set1_epi32(-1));
    for (unsigned open = ~avx2::signs_of(bits) & 0xff; open; open &= open - 1)
      claim_one(targets[i + static_cast<std::size_t>(std::countr_zero(open))]);
  }
  for (; i < n; ++i)
    if (!(std::atomic_ref(visited[targets[i] >> 6]).load(std::memory_order_relaxed) >> (targets[i] & 63) & 1))
      claim_one(targets[i]);
  return count;
}

// Results are written once and not read soon: streaming stores keep the caches for the next search.
void to_owned_index_32(const OwnedIndexView<std::uint32_t>& view, std::size_t a, std::size_t b) {
  const OwnedIndexOrder& order = *view.order;
  const __m256i none = _mm256_set1_epi32(-1);
  for (std::size_t w = a; w < b; ++w) {
    const std::uint32_t* tail = view.parent + order.first_tail[w];
    const Local* hub = order.hub_list.data() + order.first_hub[w];
    for (std::size_t k = 0; k < 8; ++k) {
      const auto tails = static_cast<unsigned>(order.tail[w] >> (8 * k)) & 0xff;
      const auto hubs = static_cast<unsigned>(order.hub[w] >> (8 * k)) & 0xff;
      __m256i parent = _mm256_blendv_epi8(none, avx2::expanded(load(tail), tails), avx2::lanes_of(tails));
      tail += std::popcount(tails);
      if (hubs) {
        const __m256i at = avx2::expanded(load(hub), hubs);
        hub += std::popcount(hubs);
        parent =
            _mm256_mask_i32gather_epi32(parent, reinterpret_cast<const int*>(view.parent), at, avx2::lanes_of(hubs), 4);
      }
      const __m256i unreached = _mm256_cmpeq_epi32(parent, none);
      const auto wide = [](__m128i id, __m128i not_reached) {
        return _mm256_or_si256(_mm256_cvtepu32_epi64(id), _mm256_cvtepi32_epi64(not_reached));
      };
      const __m256i low = wide(_mm256_castsi256_si128(parent), _mm256_castsi256_si128(unreached));
      const __m256i high = wide(_mm256_extracti128_si256(parent, 1), _mm256_extracti128_si256(unreached, 1));
      const std::size_t first = w * 64 + k * 8;
      if (first + 8 <= view.owned) {
        auto* const out = reinterpret_cast<__m256i*>(view.out + first);
        _mm256_stream_si256(out, low);
        _mm256_stream_si256(out + 1, high);
      } else if (first < view.owned) {
        alignas(32) Vertex last[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(last), low);
        _mm256_store_si256(reinterpret_cast<__m256i*>(last + 4), high);
        std::copy_n(last, view.owned - first, view.out + first);
      }
    }
  }
  _mm_sfence();
}

}  // namespace

template <class Id>
void bfs_kernels_avx2(BfsKernels<Id>& kernels) {
  kernels.pull = pull_vectors<Lanes, Id>;
  kernels.claim = claim;
  if constexpr (sizeof(Id) == sizeof(std::uint32_t)) kernels.to_owned_index = to_owned_index_32;
}

template void bfs_kernels_avx2(BfsKernels<std::uint32_t>&);
template void bfs_kernels_avx2(BfsKernels<Vertex>&);

}  // namespace atl
