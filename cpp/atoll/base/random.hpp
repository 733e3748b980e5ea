// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Random numbers by counter: the value at position i is a pure function of (seed, i), so any rank and any
/// thread can draw any part of a stream, and a graph is the same whatever the number of ranks.
namespace atl {

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a bijection of 64-bit words.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// The i-th word of the stream `seed`.
constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t i) {
  return mix64(mix64(seed + 0x9e3779b97f4a7c15ULL) + (i + 1) * 0x9e3779b97f4a7c15ULL);
}

/// A sequential generator over the same words; satisfies UniformRandomBitGenerator.
class Random {
 public:
  using result_type = std::uint64_t;
  explicit constexpr Random(std::uint64_t seed) : state_(mix64(seed + 0x9e3779b97f4a7c15ULL)) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return UINT64_MAX; }
  constexpr result_type operator()() { return mix64(state_ += 0x9e3779b97f4a7c15ULL); }
  /// Uniform in [0, n), n > 0, by multiply and shift; the bias is under n / 2^64.
  constexpr std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>((*this)()) * n) >> 64);
  }
  /// Uniform in [0, 1).
  constexpr double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// A seeded bijection of [0, 2^bits), 1 <= bits <= 62: three rounds of multiply by an odd word and fold.
class BitPermutation {
 public:
  constexpr BitPermutation(int bits, std::uint64_t seed)
      : mask_((std::uint64_t{1} << bits) - 1), fold_(bits / 2 > 0 ? bits / 2 : 1) {
    for (int r = 0; r < 3; ++r) {
      multiply_[r] = random_at(seed, 2 * static_cast<std::uint64_t>(r)) | 1;
      add_[r] = random_at(seed, 2 * static_cast<std::uint64_t>(r) + 1);
    }
  }
  constexpr std::uint64_t operator()(std::uint64_t x) const {
    for (int r = 0; r < 3; ++r) {
      x = (x * multiply_[r] + add_[r]) & mask_;
      x ^= x >> fold_;
    }
    return x;
  }

 private:
  std::uint64_t mask_;
  int fold_;
  std::uint64_t multiply_[3]{};
  std::uint64_t add_[3]{};
};

}  // namespace atl
