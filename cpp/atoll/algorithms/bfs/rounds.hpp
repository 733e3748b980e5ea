// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/base/types.hpp>
#include <cstddef>

namespace atl {

/// How a level was found; times are this rank's.
struct BfsRound {
  Vertex found = 0;  ///< on all ranks
  bool pulled = false;
  double seconds = 0;
  double waited_seconds = 0;  ///< waiting for other ranks: communication that computation did not hide
};

/// The rounds of a search: the first and the last kKept one by one, of those between them sums, so that a path of a
/// million levels takes no more memory than one of some hundred.
///
///     rounds.add({.found = 3, .pulled = false, .seconds = 1e-4});
///     rounds.for_each([](std::size_t k, const BfsRound& r) { ... });     // round k, from 0 on, of those that are kept
///     rounds.between().rounds;                                           // 0 unless there were more than 2 kKept
class BfsRounds {
 public:
  static constexpr std::size_t kKept = 100;  ///< of either end

  /// Sum over the rounds that are not kept, which are those after the first kKept.
  struct Sums {
    std::size_t rounds = 0, pulls = 0;
    Vertex found = 0;
    double seconds = 0, waited_seconds = 0;
  };

  void clear() {
    size_ = 0;
    between_ = {};
  }
  void add(const BfsRound& round) {
    BfsRound& slot = size_ < kKept ? first_[size_] : last_[size_ % kKept];
    if (size_ >= 2 * kKept) {
      ++between_.rounds;
      between_.pulls += slot.pulled;
      between_.found += slot.found;
      between_.seconds += slot.seconds;
      between_.waited_seconds += slot.waited_seconds;
    }
    slot = round;
    ++size_;
  }
  std::size_t size() const { return size_; }
  const Sums& between() const { return between_; }
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t k = 0; k < std::min(size_, kKept); ++k) f(k, first_[k]);
    for (std::size_t k = kKept + between_.rounds; k < size_; ++k) f(k, last_[k % kKept]);
  }

 private:
  std::size_t size_ = 0;
  std::array<BfsRound, kKept> first_, last_;
  Sums between_;
};

}  // namespace atl
