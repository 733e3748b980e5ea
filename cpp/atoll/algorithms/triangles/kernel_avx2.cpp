// SPDX-License-Identifier: Apache-2.0
// Processes 32 counters of a tally, and 8 marks of a list, at a time.
#include <atoll/algorithms/triangles/kernel.hpp>
#include <atoll/algorithms/triangles/short_fronts.hpp>
#include <atoll/base/isa/lanes_avx2.hpp>
#include <bit>

namespace atl {
namespace {

// Adds one to each of 32 counters whose bit is set.
void add_bits(std::uint8_t* counters, std::uint32_t bits) {
  const __m256i byte_of =
      _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i bit_of = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), byte_of);
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of), bit_of);  // -1 where it is
  auto* const at = reinterpret_cast<__m256i*>(counters);
  _mm256_storeu_si256(at, _mm256_sub_epi8(_mm256_loadu_si256(at), set));
}

int match_row(const std::uint64_t* row, const std::uint32_t* words, const std::uint64_t* bits, std::size_t count,
              std::uint8_t* tally) {
  int found = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t both = row[words[k]] & bits[k];
    if (both == 0) continue;
    found += std::popcount(both);
    add_bits(tally + k * 64, static_cast<std::uint32_t>(both));
    add_bits(tally + k * 64 + 32, static_cast<std::uint32_t>(both >> 32));
  }
  return found;
}

std::size_t match_list(const std::uint32_t* marks, const Local* list, std::size_t size, Local* found) {
  std::size_t n = 0, i = 0;
  for (; i + 8 <= size; i += 8) {
    const __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i));
    const __m256i word = _mm256_i32gather_epi32(reinterpret_cast<const int*>(marks), _mm256_srli_epi32(w, 5), 4);
    const unsigned set = avx2::signs_of(_mm256_sllv_epi32(word, _mm256_andnot_si256(w, _mm256_set1_epi32(31))));
    if (set == 0) continue;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(found + n), avx2::compressed(w, set));
    n += static_cast<std::size_t>(std::popcount(set));
  }
  for (; i < size; ++i) {
    const auto w = static_cast<std::uint32_t>(list[i]);
    found[n] = list[i];
    n += marks[w / 32] >> (w % 32) & 1;
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

LocalTriangles::Kernels triangle_kernels_avx2() {
  return {match_row, match_list, close_short_fronts<Lanes4>, close_short_fronts<Lanes8>};
}

}  // namespace atl
