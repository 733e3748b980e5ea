// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/similarity/measure_values.hpp>
#include <functional>
#include <vector>

namespace atl {

/// Adds up the common neighbours of a pair: their number or, if the measure is weighted, their contributions from the
/// least on.
class CommonNeighbours {
 public:
  explicit CommonNeighbours(Similarity measure) : measure_(measure) {}

  void clear() {
    count_ = 0;
    followers_.clear();
  }
  /// A common neighbour that so many vertices have.
  void add(Edge followers) {
    ++count_;
    if (is_weighted(measure_)) followers_.push_back(followers);
  }
  double sum() {
    if (!is_weighted(measure_)) return static_cast<double>(count_);
    std::sort(followers_.begin(), followers_.end(), std::greater<>());
    double sum = 0;
    for (const Edge followers : followers_) sum += contribution(measure_, followers);
    return sum;
  }

 private:
  const Similarity measure_;
  Edge count_ = 0;
  std::vector<Edge> followers_;
};

}  // namespace atl
