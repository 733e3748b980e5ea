// SPDX-License-Identifier: Apache-2.0
// Bucketing by permutation: for each bucket, a comparison of the destinations and a store of the records that match,
// moved to the front of their vector.
#include <atoll/base/lanes_avx2.hpp>
#include <atoll/runtime/aggregation/bucket.hpp>
#include <bit>

namespace atl {
namespace {

// [records of a vector] the lanes of the records whose bit is set.
constexpr unsigned kLanesOf8[16] = {0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f,
                                    0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};
constexpr unsigned kLanesOf16[4] = {0x00, 0x0f, 0xf0, 0xff};

template <std::size_t Bytes>
unsigned lanes_of_records(unsigned bits) {
  if constexpr (Bytes == 4) return bits;
  return Bytes == 8 ? kLanesOf8[bits & 15] : kLanesOf16[bits & 3];
}

template <std::size_t Bytes>
std::size_t distribute(const Rank* to, const void* records, std::size_t n, Rank buckets, std::byte** at_out,
                       std::byte* const* limit) {
  constexpr std::size_t kVectors = Bytes * kBucketStep / 32, kEach = 32 / Bytes;
  const auto* in = static_cast<const std::byte*>(records);
  std::byte* at[kMaxBuckets];
  for (Rank b = 0; b < buckets; ++b) at[b] = at_out[b];
  std::size_t i = 0;
  bool full = false;
  for (; i + kBucketStep <= n && !full; i += kBucketStep) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(to + i));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(to + i + 8));
    __m256i data[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
      data[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i * Bytes + v * 32));
    for (Rank b = 0; b < buckets; ++b) {
      const __m256i bucket = _mm256_set1_epi32(b);
      unsigned hit = avx2::signs_of(_mm256_cmpeq_epi32(low, bucket)) | avx2::signs_of(_mm256_cmpeq_epi32(high, bucket))
                                                                           << 8;
      std::byte* p = at[b];
      _mm_prefetch(reinterpret_cast<const char*>(p + 256), _MM_HINT_T0);
      for (std::size_t v = 0; v < kVectors; ++v, hit >>= kEach) {
        const unsigned bits = hit & ((1u << kEach) - 1);
        const __m256i matching = avx2::compressed(data[v], lanes_of_records<Bytes>(bits));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), matching);
        p += static_cast<std::size_t>(std::popcount(bits)) * Bytes;
      }
      at[b] = p;
      full |= p >= limit[b];
    }
  }
  for (Rank b = 0; b < buckets; ++b) at_out[b] = at[b];
  return i;
}

}  // namespace

BucketKernel bucket_kernel_avx2(std::size_t record_bytes) {
  switch (record_bytes) {
    case 4:
      return distribute<4>;
    case 8:
      return distribute<8>;
    case 16:
      return distribute<16>;
    default:
      return nullptr;
  }
}

}  // namespace atl
