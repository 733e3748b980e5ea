// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/topology/network/network.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace sample {

/// Routers with one host each, and these links between them.
inline atl::Network direct(int routers, const std::vector<std::pair<int, int>>& links) {
  atl::Network::Parts parts{.name = "sample",
                            .hosts = routers,
                            .routers = routers,
                            .links = {},
                            .groups = {.kind = "system", .name = {}, .children = {}, .ranks = {}},
                            .path = {},
                            .bisection = std::nullopt};
  for (int r = 0; r < routers; ++r) {
    parts.groups.ranks.push_back(r);
    parts.links.push_back({.a = r, .b = routers + r});
  }
  for (const auto& [a, b] : links) parts.links.push_back({.a = routers + a, .b = routers + b});
  return atl::Network(std::move(parts));
}

inline bool is_permutation(std::vector<int> order, int n) {
  if (static_cast<int>(order.size()) != n) return false;
  std::vector<bool> seen(order.size(), false);
  for (const int p : order) {
    if (p < 0 || p >= n || seen[static_cast<std::size_t>(p)]) return false;
    seen[static_cast<std::size_t>(p)] = true;
  }
  return true;
}

/// Whether each of `ranks` has one of `places` for itself.
inline bool places_are_distinct(std::vector<int> mapping, int ranks, int places) {
  std::ranges::sort(mapping);
  return static_cast<int>(mapping.size()) == ranks && mapping.front() >= 0 && mapping.back() < places &&
         std::ranges::adjacent_find(mapping) == mapping.end();
}

}  // namespace sample
