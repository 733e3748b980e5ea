// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace atl {

// pext packs a word's bits in one instruction: about a nanosecond for 64 vertices.
void compress_bits_avx2(const std::uint64_t* bits, const std::uint64_t* mask, std::size_t words, std::uint64_t* out) {
  std::uint64_t word = 0;
  std::size_t fill = 0, written = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const auto n = static_cast<std::size_t>(std::popcount(mask[w]));
    if (n == 0) continue;
    const std::uint64_t packed = _pext_u64(bits[w], mask[w]);
    word |= packed << fill;
    if (fill + n >= 64) {
      out[written++] = word;
      word = fill == 0 ? 0 : packed >> (64 - fill);
      fill = fill + n - 64;
    } else {
      fill += n;
    }
  }
  out[written] = word;
}

}  // namespace atl
