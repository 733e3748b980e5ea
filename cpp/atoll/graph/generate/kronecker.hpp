// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/base/types.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// The Kronecker (R-MAT) tuples of the Graph500 specification, by counter: tuple i is a pure function of the seed
/// and i, so any rank and any thread can make any part of the list.
///
///     Kronecker kronecker(20, {.a = 0.57, .b = 0.19, .c = 0.19}, seed);
///     kronecker.fill(first, std::span(source), std::span(target));   // tuples first, first + 1, ..
///
/// Level by level a tuple falls into one of four quadrants with probability a, b, c, 1-a-b-c; `b` sets a bit of the
/// target, `c` one of the source. Five levels are drawn at once from 32 random bits through an alias table of 4^5
/// outcomes, whose probabilities are exact to 2^-32. Tuples are independent, so their order is already random: the
/// specification's shuffle of the list would give a list of the same distribution.
namespace atl {

class Kronecker {
 public:
  struct Quadrants {
    double a = 0.57, b = 0.19, c = 0.19;
  };
  static constexpr int kMaxScale = 48;

  /// 1 <= scale <= kMaxScale; quadrants >= 0 with a sum of at most 1 (the caller has checked).
  Kronecker(int scale, Quadrants quadrants, std::uint64_t seed);

  /// Labels permuted by permutation(). Any thread; source and target of one size; Id wide enough for 2^scale - 1.
  template <class Id>
  void fill(std::uint64_t first, std::span<Id> source, std::span<Id> target) const;
  /// The same tuples with the labels that the recursion gave: vertex 0 has the greatest degree if a does.
  template <class Id>
  void fill_unpermuted(std::uint64_t first, std::span<Id> source, std::span<Id> target) const;

  const BitPermutation& permutation() const { return permutation_; }

 private:
  static constexpr int kLevels = 5;  // drawn at once: 1,024 outcomes of 4 bytes stay in the first cache

  template <bool Permuted, class Id>
  void fill_any(std::uint64_t first, std::span<Id> source, std::span<Id> target) const;

  int scale_;
  int groups_;  // of levels; the first has what is left over from the fives
  std::uint64_t seed_;
  BitPermutation permutation_;
  std::vector<std::uint32_t> head_, table_;  // alias tables: threshold in the high bits, other outcome in the low
};

}  // namespace atl
