// SPDX-License-Identifier: Apache-2.0
// Bucketing by permutation: for each bucket, a comparison of the destinations and a store of the records that match,
// moved to the front of their vector.
#include <atoll/base/isa/lanes_avx2.hpp>
#include <atoll/runtime/aggregation/bucket_loop.hpp>
#include <bit>

namespace atl {
namespace {

// [records of a vector] the lanes of the records whose bit is set.
constexpr unsigned kLanesOf8[16] = {0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f,
                                    0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};
constexpr unsigned kLanesOf16[4] = {0x00, 0x0f, 0xf0, 0xff};

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

template <std::size_t Bytes>
class Step {
 public:
  static constexpr std::size_t kBytes = Bytes;

  Step(const Rank* to, const std::byte* records) : low_(load(to)), high_(load(to + 8)) {
    for (std::size_t v = 0; v < kVectors; ++v) records_[v] = load(records + v * 32);
  }

  std::byte* append(Rank bucket, std::byte* to) const {
    const __m256i all = _mm256_set1_epi32(bucket);
    unsigned hit = avx2::signs_of(_mm256_cmpeq_epi32(low_, all)) | avx2::signs_of(_mm256_cmpeq_epi32(high_, all)) << 8;
    for (std::size_t v = 0; v < kVectors; ++v, hit >>= kEach) {
      const unsigned bits = hit & ((1u << kEach) - 1);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), avx2::compressed(records_[v], lanes_of_records(bits)));
      to += static_cast<std::size_t>(std::popcount(bits)) * Bytes;
    }
    return to;
  }

 private:
  static constexpr std::size_t kVectors = Bytes * kBucketStep / 32, kEach = 32 / Bytes;

  static unsigned lanes_of_records(unsigned bits) {
    if constexpr (Bytes == 4) return bits;
    return Bytes == 8 ? kLanesOf8[bits & 15] : kLanesOf16[bits & 3];
  }

  __m256i low_, high_;  // destinations
  __m256i records_[kVectors];
};

}  // namespace

BucketKernel bucket_kernel_avx2(std::size_t record_bytes) { return vector_bucket_kernel<Step>(record_bytes); }

}  // namespace atl
