// SPDX-License-Identifier: Apache-2.0
// Processes eight vertices at a time: one vector has their first neighbours, one gather the frontier bits of those.
#include <algorithm>
#include <atoll/algorithms/bfs/kernel.hpp>
#include <atoll/base/lanes_avx2.hpp>
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

void store_ids(std::uint32_t* to, const std::uint32_t* from, __m256i hit) {
  _mm256_maskstore_epi32(reinterpret_cast<int*>(to), hit, load(from));
}
void store_ids(Vertex* to, const Vertex* from, __m256i hit) {
  auto* const wide = reinterpret_cast<long long*>(to);
  _mm256_maskstore_epi64(wide, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(hit)), load(from));
  _mm256_maskstore_epi64(wide + 4, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(hit, 1)), load(from + 4));
}

// Vertices with longer lists and none of the first neighbours in the frontier are left for a second pass, which
// prefetches their lists.
constexpr std::size_t kLeftWords = 32;
constexpr std::size_t kAhead = 8;

template <class Id>
std::size_t pull_block(const PullView<Id>& g, std::size_t a, std::size_t b) {
  constexpr int kColumns = EllPrefix<Id>::kColumns;
  Local left[kLeftWords * 64 + 8];
  std::size_t lefts = 0, count = 0;
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (std::size_t w = a; w < b; ++w) {
    const std::uint64_t open = ~g.visited[w];
    std::uint64_t found = 0;
    for (std::size_t k = 0; open && k < 8; ++k) {
      auto lanes = static_cast<unsigned>(open >> (8 * k)) & 0xff;
      if (!lanes) continue;
      const std::size_t v = w * 64 + k * 8;
      unsigned hits = 0;
      for (int c = 0; c < kColumns && lanes; ++c) {
        const __m256i bits = test_bits(g.frontier, load(g.prefix->vertex[c].data() + v), avx2::lanes_of(lanes));
        const unsigned hit = avx2::signs_of(bits);
        if (hit) store_ids(g.parent + v, g.prefix->id[c].data() + v, _mm256_srai_epi32(bits, 31));
        hits |= hit;
        lanes &= ~hit;
      }
      found |= static_cast<std::uint64_t>(hits) << (8 * k);
      lanes &= static_cast<unsigned>(g.prefix->more[w] >> (8 * k));
      const __m256i vertices = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(v)), lane);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(left + lefts), avx2::compressed(vertices, lanes));
      lefts += static_cast<std::size_t>(std::popcount(lanes));
    }
    g.visited[w] |= found;
    g.next[w] = found;
    count += static_cast<std::size_t>(std::popcount(found));
  }
  for (std::size_t i = 0; i < std::min(lefts, kAhead); ++i)
    __builtin_prefetch(g.targets + g.offsets[left[i]] + kColumns);
  for (std::size_t i = 0; i < lefts; ++i) {
    if (i + kAhead < lefts) __builtin_prefetch(g.targets + g.offsets[left[i + kAhead]] + kColumns);
    const Local v = left[i];
    for (Edge e = g.offsets[v] + kColumns, end = g.offsets[v + 1]; e < end; ++e) {
      const Local u = g.targets[e];
      if (!(g.frontier[u >> 6] >> (u & 63) & 1)) continue;
      g.parent[v] = g.ids[u];
      const std::uint64_t bit = std::uint64_t{1} << (v & 63);
      g.visited[v >> 6] |= bit;
      g.next[v >> 6] |= bit;
      ++count;
      break;
    }
  }
  return count;
}

template <class Id>
std::size_t pull(const PullView<Id>& g, std::size_t a, std::size_t b) {
  std::size_t count = 0;
  for (std::size_t w = a; w < b; w += kLeftWords) count += pull_block(g, w, std::min(b, w + kLeftWords));
  return count;
}

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
  kernels.pull = pull<Id>;
  kernels.claim = claim;
  if constexpr (sizeof(Id) == sizeof(std::uint32_t)) kernels.to_owned_index = to_owned_index_32;
}

template void bfs_kernels_avx2(BfsKernels<std::uint32_t>&);
template void bfs_kernels_avx2(BfsKernels<Vertex>&);

}  // namespace atl
