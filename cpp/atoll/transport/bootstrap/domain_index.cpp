// SPDX-License-Identifier: Apache-2.0
#include <atoll/transport/bootstrap/domain_index.hpp>

namespace atl {

DomainIndex::DomainIndex(const Hierarchy& hierarchy)
    : depth_(hierarchy.depth()),
      around_(static_cast<std::size_t>(hierarchy.size()) * static_cast<std::size_t>(depth_)),
      counts_(static_cast<std::size_t>(depth_), 0) {
  number(hierarchy.root(), depth_ - 1, {});
}

void DomainIndex::number(const Domain& d, int level, std::vector<int> around) {
  around.push_back(counts_[level]++);
  for (const Domain& c : d.children) number(c, level - 1, around);
  for (const Rank r : d.ranks)
    for (int l = 0; l < depth_; ++l) around_[r * depth_ + l] = around[depth_ - 1 - l];
}

}  // namespace atl
