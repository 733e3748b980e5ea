// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <span>
#include <utility>
#include <vector>

namespace atl {

/// The distinct edges of an undirected graph by numbers, and the triangles of each, in plain form. Used by the check of
/// truss numbers.
///
///     const EdgeTriangles triangles(n, ends);          // pairs of nodes, the lower first, ascending, each once
///     triangles.for_each(edge, [](std::size_t one, std::size_t other) { ... });   // the other two edges of each
///
/// Each entry of the shorter list is searched in the longer one.
class EdgeTriangles {
 public:
  using Ends = std::pair<Local, Local>;

  EdgeTriangles(std::size_t nodes, std::span<const Ends> ends) : ends_(ends), lists_(nodes) {
    for (std::size_t e = 0; e < ends.size(); ++e) {
      lists_[ends[e].first].emplace_back(ends[e].second, e);
      lists_[ends[e].second].emplace_back(ends[e].first, e);
    }
    for (auto& list : lists_) std::sort(list.begin(), list.end());
  }

  template <class F>
  void for_each(std::size_t edge, F&& f) const {
    const auto &first = lists_[ends_[edge].first], &second = lists_[ends_[edge].second];
    const auto& shorter = first.size() < second.size() ? first : second;
    const auto& longer = first.size() < second.size() ? second : first;
    for (const auto& [node, one] : shorter) {
      const auto at = std::lower_bound(longer.begin(), longer.end(), std::pair(node, std::size_t{0}));
      if (at != longer.end() && at->first == node) f(one, at->second);
    }
  }

 private:
  std::span<const Ends> ends_;
  std::vector<std::vector<std::pair<Local, std::size_t>>> lists_;  // [node] other end and number of its edges
};

}  // namespace atl
