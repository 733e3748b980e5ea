// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace reference {

/// [v] -> smallest vertex of v's strongly connected component. Kosaraju and Sharir: a depth-first search along edges
/// gives an order in which searches against them find one component each.
inline std::vector<std::size_t> strong_components(std::size_t n,
                                                  const std::vector<std::pair<std::size_t, std::size_t>>& arcs) {
  std::vector<std::vector<std::size_t>> out(n), in(n);
  for (const auto& [u, v] : arcs) {
    out[u].push_back(v);
    in[v].push_back(u);
  }
  std::vector<std::size_t> finished, next(n, 0), path;
  std::vector<char> visited(n, 0);
  for (std::size_t s = 0; s < n; ++s) {
    if (visited[s]) continue;
    visited[s] = 1;
    path.push_back(s);
    while (!path.empty()) {
      const std::size_t v = path.back();
      if (next[v] == out[v].size()) {
        finished.push_back(v);
        path.pop_back();
      } else if (const std::size_t u = out[v][next[v]++]; !visited[u]) {
        visited[u] = 1;
        path.push_back(u);
      }
    }
  }
  std::vector<std::size_t> label(n, n);
  for (auto s = finished.rbegin(); s != finished.rend(); ++s) {
    if (label[*s] != n) continue;
    std::vector<std::size_t> members{*s};
    label[*s] = *s;
    for (std::size_t i = 0; i < members.size(); ++i)
      for (const std::size_t u : in[members[i]])
        if (label[u] == n) {
          label[u] = *s;
          members.push_back(u);
        }
    const std::size_t least = *std::min_element(members.begin(), members.end());
    for (const std::size_t v : members) label[v] = least;
  }
  return label;
}

}  // namespace reference
