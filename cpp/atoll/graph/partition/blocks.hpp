// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <vector>

namespace atl {

/// Which rank owns a dense vertex: contiguous blocks, in rank order. Blocks may be empty or unequal.
class Blocks {
 public:
  Blocks() : first_{0, 0} {}
  /// Ascending boundaries, number of ranks + 1, the first 0.
  explicit Blocks(std::vector<Vertex> first) : first_(std::move(first)) {}
  /// Blocks whose sizes differ by at most one.
  static Blocks even(Vertex count, Rank ranks) {
    std::vector<Vertex> first;
    for (Rank r = 0; r <= ranks; ++r) first.push_back(static_cast<Vertex>(static_cast<__int128>(count) * r / ranks));
    return Blocks(std::move(first));
  }

  Rank ranks() const { return static_cast<Rank>(first_.size()) - 1; }
  Vertex count() const { return first_.back(); }
  Vertex begin(Rank r) const { return first_[r]; }
  Vertex end(Rank r) const { return first_[static_cast<std::size_t>(r) + 1]; }
  Vertex size(Rank r) const { return end(r) - begin(r); }

  /// Branch-free for few ranks, as loops over edges call it; a binary search for many.
  Rank owner(Vertex v) const {
    constexpr std::size_t kFew = 9;
    if (first_.size() <= kFew) {
      Rank r = 0;
      for (std::size_t k = 1; k + 1 < first_.size(); ++k) r += v >= first_[k];
      return r;
    }
    return static_cast<Rank>(std::upper_bound(first_.begin() + 1, first_.end() - 1, v) - first_.begin()) - 1;
  }

 private:
  std::vector<Vertex> first_;
};

}  // namespace atl
