// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/base/types.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// A graph with planted communities, by counter: tuple i is a pure function of the parameters and i.
///
///     const Communities communities(20, 0.1, seed);
///     communities.fill(first, std::span(source), std::span(target));   // tuples first, first + 1, ..
///
/// Communities are ranges of positions; their sizes have the density x^-1.5 over 64 .. 8192, as in LFR graphs [1]. The
/// source of a tuple is drawn by weight from all vertices, its target by weight from the same community or, with
/// probability `mixing`, from all others, so that degrees follow weights (Chung and Lu). Weights in a community of s
/// vertices have the density w^-2.2 over a range of 1 to min(125, s / 16), hubs first; the mean is the same in all. In
/// the graph labels are permuted.
///
/// [1] A. Lancichinetti, S. Fortunato, F. Radicchi. "Benchmark graphs for testing community detection algorithms."
///     Physical Review E 78, 2008.
namespace atl {

class Communities {
 public:
  static constexpr int kMaxScale = 30;  // the tables take 2^scale / 12 bytes on each rank

  /// 1 <= scale <= kMaxScale, 0 <= mixing <= 1 (the caller has checked).
  Communities(int scale, double mixing, std::uint64_t seed);

  /// Labels permuted by permutation(). Any thread; source and target of one size; Id wide enough for 2^scale - 1.
  template <class Id>
  void fill(std::uint64_t first, std::span<Id> source, std::span<Id> target) const;

  const BitPermutation& permutation() const { return permutation_; }
  /// First position of each community, and the number of vertices.
  std::span<const std::uint32_t> starts() const { return starts_; }

 private:
  std::uint64_t community_at(std::uint64_t position) const;
  std::uint64_t draw(std::uint64_t community, std::uint32_t random) const;

  std::uint64_t vertices_, leave_;  // leave_: of 2^32 draws
  std::uint64_t seed_;
  BitPermutation permutation_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> cells_;  // [position / 64] community of the cell's first position
  std::vector<double> least_;         // [community] (greatest weight / least)^-0.2
};

}  // namespace atl
