// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/runtime/world.hpp>
#include <vector>

namespace atl {

/// Maximum over mean; 1 if all are 0.
inline double imbalance_of(const std::vector<Edge>& load) {
  Edge most = 0, sum = 0;
  for (const Edge l : load) {
    most = std::max(most, l);
    sum += l;
  }
  return sum == 0 ? 1 : static_cast<double>(most) * static_cast<double>(load.size()) / static_cast<double>(sum);
}

/// Element-wise sum over all ranks; `mine` has the same length on all. Collective.
inline std::vector<Edge> sum_each(World& world, const std::vector<Edge>& mine) {
  std::vector<Edge> all(mine.size(), 0);
  const std::vector<Edge> parts = world.all_gather_varying(std::span<const Edge>(mine));
  for (std::size_t i = 0; i < parts.size(); ++i) all[i % all.size()] += parts[i];
  return all;
}

}  // namespace atl
