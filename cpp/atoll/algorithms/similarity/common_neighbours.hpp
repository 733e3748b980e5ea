// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/similarity/measure_values.hpp>
#include <functional>
#include <span>
#include <vector>

namespace atl {

/// Calls f(position in a) once for each value that both ascending lists have; values may be repeated. Takes the time of
/// both lists or, where one is far shorter, of searches for its values in the other.
template <class Key, class F>
void for_common(std::span<const Key> a, std::span<const Key> b, F&& f) {
  constexpr std::size_t kFarShorter = 16;
  std::size_t i = 0, k = 0;
  const auto pass_equal = [](std::span<const Key> list, std::size_t& at) {
    const Key value = list[at];
    while (at < list.size() && list[at] == value) ++at;
  };
  const auto search = [](std::span<const Key> list, std::size_t from, Key value) {
    return static_cast<std::size_t>(
        std::lower_bound(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(), value) - list.begin());
  };
  if (a.size() > kFarShorter * b.size()) {
    for (; k < b.size() && i < a.size(); pass_equal(b, k))
      if ((i = search(a, i, b[k])) < a.size() && a[i] == b[k]) f(i);
    return;
  }
  const bool searches = b.size() > kFarShorter * a.size();
  for (; i < a.size() && k < b.size(); pass_equal(a, i)) {
    if (searches) {
      k = search(b, k, a[i]);
    } else {
      while (k < b.size() && b[k] < a[i]) ++k;
    }
    if (k < b.size() && b[k] == a[i]) f(i);
  }
}

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
