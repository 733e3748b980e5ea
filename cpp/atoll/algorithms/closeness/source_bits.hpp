// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace atl {

/// A bit for each source of a batch: a register's worth of a vertex's words in an array.
template <int kWords>
struct SourceBits {
  static constexpr std::size_t kSources = 64 * kWords;

  std::uint64_t word[kWords] = {};

  static SourceBits load(const std::uint64_t* from) {
    SourceBits bits;
    for (int w = 0; w < kWords; ++w) bits.word[w] = from[w];
    return bits;
  }
  void store(std::uint64_t* to) const {
    for (int w = 0; w < kWords; ++w) to[w] = word[w];
  }
  /// The first `count` sources.
  static SourceBits first(std::size_t count) {
    SourceBits bits;
    for (std::size_t w = 0; w < kWords; ++w) {
      if (count >= 64 * (w + 1))
        bits.word[w] = ~std::uint64_t{0};
      else if (count > 64 * w)
        bits.word[w] = (std::uint64_t{1} << (count - 64 * w)) - 1;
    }
    return bits;
  }
  void add(const std::uint64_t* other) {
    for (int w = 0; w < kWords; ++w) word[w] |= other[w];
  }
  SourceBits without(const SourceBits& other) const {
    SourceBits bits;
    for (int w = 0; w < kWords; ++w) bits.word[w] = word[w] & ~other.word[w];
    return bits;
  }
  SourceBits with(const SourceBits& other) const {
    SourceBits bits;
    for (int w = 0; w < kWords; ++w) bits.word[w] = word[w] | other.word[w];
    return bits;
  }
  bool any() const {
    std::uint64_t all = 0;
    for (int w = 0; w < kWords; ++w) all |= word[w];
    return all != 0;
  }
  int count() const {
    int bits = 0;
    for (int w = 0; w < kWords; ++w) bits += std::popcount(word[w]);
    return bits;
  }
};

}  // namespace atl
