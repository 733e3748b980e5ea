// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace reference {

/// The truss number of each edge (u, v), u < v, by the definition: for k = 3, 4, ... edges in fewer than k - 2 triangles
/// are taken out until none is left that is; what is left is the k-truss. Self-loops are left out.
inline std::map<std::pair<std::size_t, std::size_t>, long> truss_numbers(
    std::size_t vertices, const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::map<std::pair<std::size_t, std::size_t>, long> number;
  std::vector<std::set<std::size_t>> near(vertices);
  for (const auto& [u, v] : edges)
    if (u != v) {
      number[std::minmax(u, v)] = 2;
      near[u].insert(v);
      near[v].insert(u);
    }
  auto left = number;
  for (long k = 3; !left.empty(); ++k) {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto at = left.begin(); at != left.end();) {
        const auto [u, v] = at->first;
        const auto triangles =
            std::count_if(near[u].begin(), near[u].end(), [&, v = v](std::size_t w) { return near[v].count(w) > 0; });
        if (triangles >= k - 2) {
          ++at;
          continue;
        }
        near[u].erase(v);
        near[v].erase(u);
        at = left.erase(at);
        changed = true;
      }
    }
    for (const auto& [edge, before] : left) number[edge] = k;
  }
  return number;
}

}  // namespace reference
