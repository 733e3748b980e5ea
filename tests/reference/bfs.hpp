// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <cstddef>
#include <deque>
#include <span>
#include <utility>
#include <vector>

/// Serial oracles in the simplest form, on the tuples as given (including self-loops and multi-edges).
namespace reference {

using Pairs = std::span<const std::pair<atl::Vertex, atl::Vertex>>;

inline std::vector<std::vector<atl::Vertex>> neighbours(atl::Vertex n, Pairs edges, bool directed) {
  std::vector<std::vector<atl::Vertex>> next(static_cast<std::size_t>(n));
  for (const auto& [u, v] : edges) {
    next[static_cast<std::size_t>(u)].push_back(v);
    if (!directed) next[static_cast<std::size_t>(v)].push_back(u);
  }
  return next;
}

struct BfsTree {
  std::vector<atl::Vertex> parents;  ///< the source is its own parent; kNoVertex if not reached
  std::vector<std::int64_t> depths;  ///< kUnreachable if not reached
};

/// Breadth-first search; neighbours in the order of the edge list.
inline BfsTree bfs(atl::Vertex n, Pairs edges, bool directed, atl::Vertex source) {
  const auto next = neighbours(n, edges, directed);
  BfsTree tree{std::vector(static_cast<std::size_t>(n), atl::kNoVertex),
               std::vector(static_cast<std::size_t>(n), atl::kUnreachable)};
  tree.parents[static_cast<std::size_t>(source)] = source;
  tree.depths[static_cast<std::size_t>(source)] = 0;
  std::deque<atl::Vertex> queue{source};
  while (!queue.empty()) {
    const auto u = queue.front();
    queue.pop_front();
    for (const auto v : next[static_cast<std::size_t>(u)]) {
      if (tree.depths[static_cast<std::size_t>(v)] != atl::kUnreachable) continue;
      tree.parents[static_cast<std::size_t>(v)] = u;
      tree.depths[static_cast<std::size_t>(v)] = tree.depths[static_cast<std::size_t>(u)] + 1;
      queue.push_back(v);
    }
  }
  return tree;
}

inline std::vector<std::int64_t> bfs_depths(atl::Vertex n, Pairs edges, bool directed, atl::Vertex source) {
  return bfs(n, edges, directed, source).depths;
}

}  // namespace reference
