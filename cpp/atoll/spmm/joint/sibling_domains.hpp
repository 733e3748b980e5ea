// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <vector>

namespace atl::spmm {

/// The domains between which a row crosses: two ranks that are apart at a level are in two domains whose ranks are
/// nearer to each other; at level 0 each rank is one by itself. A domain is named by its lowest rank.
class SiblingDomains {
 public:
  explicit SiblingDomains(const Hierarchy& tree) : lowest_(static_cast<std::size_t>(tree.depth())) {
    for (int level = 0; level < tree.depth(); ++level)
      for (Rank r = 0; r < tree.size(); ++r) {
        Rank first = 0;
        while (first != r && (level == 0 || tree.level_between(first, r) >= level)) ++first;
        lowest_[level].push_back(first);
      }
  }

  Rank domain(int level, Rank rank) const { return lowest_[level][rank]; }
  /// Ascending.
  std::vector<Rank> ranks(int level, Rank domain) const {
    std::vector<Rank> out;
    for (std::size_t r = 0; r < lowest_[level].size(); ++r)
      if (lowest_[level][r] == domain) out.push_back(static_cast<Rank>(r));
    return out;
  }

 private:
  std::vector<std::vector<Rank>> lowest_;  // [level][rank]
};

}  // namespace atl::spmm
