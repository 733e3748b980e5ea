// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <vector>

namespace atl {

/// The domains of a hierarchy, numbered from 0 at each level in tree order. Fast lookups for simulations of thousands
/// of ranks, which need them for every message.
class DomainIndex {
 public:
  explicit DomainIndex(const Hierarchy& hierarchy);

  /// The domains that contain the rank, by level.
  const int* of(Rank rank) const { return around_.data() + static_cast<std::ptrdiff_t>(rank) * depth_; }
  int level_between(Rank a, Rank b) const {
    const int* x = of(a);
    const int* y = of(b);
    int level = 0;
    while (x[level] != y[level]) ++level;
    return level;
  }
  /// The number of domains at that level.
  int count(int level) const { return counts_[level]; }
  std::size_t memory_bytes() const { return around_.size() * sizeof(int); }

 private:
  void number(const Domain& d, int level, std::vector<int> around);

  const int depth_;
  std::vector<int> around_;  // [rank * depth + level]
  std::vector<int> counts_;  // [level]
};

}  // namespace atl
