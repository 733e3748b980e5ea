// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/similarity/wedge_lists.hpp>

namespace atl {

/// Adds up, for one thread, the common neighbours of a vertex u and all others: their number (T: std::uint32_t) or their
/// contributions (T: double), which are above 0.
///
///     SharedNeighbours<double> shared(lists);
///     for (const Local w : lists.neighbours(u)) shared.add(lists.followers(w), contribution(measure, ..));
///     shared.take([&](Local v, double sum) { ... });     // each v that was reached, once; forgets all
///
/// Memory: a T and 4 bytes for each known vertex.
template <class T>
class alignas(128) SharedNeighbours {
 public:
  explicit SharedNeighbours(const WedgeLists& lists) : sums_(lists.size(), T{}), reached_(lists.size() + 1) {}

  /// A common neighbour of u and each of these vertices.
  void add(std::span<const Local> vertices, T contribution) {
    Local* const reached = reached_.data();
    T* const sums = sums_.data();
    std::size_t count = count_;
    for (const Local v : vertices) {
      const T before = sums[v];
      reached[count] = v;
      count += before == T{};  // no branch: it could not be predicted
      sums[v] = before + contribution;
    }
    count_ = count;
  }

  template <class F>
  void take(F&& f) {
    for (std::size_t i = 0; i < count_; ++i) {
      const Local v = reached_[i];
      const T sum = sums_[v];
      sums_[v] = T{};
      f(v, sum);
    }
    count_ = 0;
  }

 private:
  Array<T> sums_;         // [number]
  Array<Local> reached_;  // numbers of those that are not 0, and room for one more
  std::size_t count_ = 0;
};

}  // namespace atl
