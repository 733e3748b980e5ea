// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace reference {

/// A biconnected component: its edges, and the vertex by which a search from the smallest vertex of its connected
/// component has come in.
struct Block {
  std::size_t head;
  std::vector<std::pair<std::size_t, std::size_t>> edges;  ///< parallel ones each

  /// All but the head, ascending.
  std::vector<std::size_t> others() const {
    std::vector<std::size_t> list;
    for (const auto& [u, v] : edges)
      for (const std::size_t end : {u, v})
        if (end != head) list.push_back(end);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }
};

/// Blocks of an undirected graph by a recursive depth-first search with a stack of edges: J. Hopcroft, R. Tarjan,
/// "Algorithm 447", 1973. Each edge is given once; self-loops are left out.
inline std::vector<Block> biconnected_components(std::size_t vertices,
                                                 const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<std::vector<std::size_t>> at(vertices);  // [vertex] positions of its edges
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges[e].first != edges[e].second) {
      at[edges[e].first].push_back(e);
      at[edges[e].second].push_back(e);
    }
  std::vector<std::size_t> number(vertices, 0), low(vertices, 0), stack;
  std::vector<bool> stacked(edges.size(), false);
  std::vector<Block> blocks;
  std::size_t visited = 0;
  const std::function<void(std::size_t)> visit = [&](std::size_t v) {
    number[v] = low[v] = ++visited;
    for (const std::size_t e : at[v]) {
      if (stacked[e]) continue;
      stacked[e] = true;
      stack.push_back(e);
      const std::size_t u = edges[e].first == v ? edges[e].second : edges[e].first;
      if (number[u] > 0) {
        low[v] = std::min(low[v], number[u]);
        continue;
      }
      visit(u);
      low[v] = std::min(low[v], low[u]);
      if (low[u] < number[v]) continue;
      Block block{v, {}};
      for (bool more = true; more; stack.pop_back()) {
        block.edges.push_back(edges[stack.back()]);
        more = stack.back() != e;
      }
      blocks.push_back(std::move(block));
    }
  };
  for (std::size_t v = 0; v < vertices; ++v)
    if (number[v] == 0) visit(v);
  return blocks;
}

}  // namespace reference
