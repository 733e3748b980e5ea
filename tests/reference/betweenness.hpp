// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace reference {

/// Brandes' algorithm, vertex by vertex: the sum over sources s and targets t of sigma_st(v) / sigma_st, where the
/// length of a path is the sum of its positive weights. An arc has .from, .to (0 .. n-1) and .weight. Count must be
/// able to hold the number of paths.
template <class Count = double, class Arc>
std::vector<double> betweenness(std::size_t n, const std::vector<Arc>& arcs, const std::vector<std::size_t>& sources) {
  std::vector<std::vector<std::pair<std::size_t, double>>> next(n);
  for (const Arc& a : arcs)
    next[static_cast<std::size_t>(a.from)].emplace_back(static_cast<std::size_t>(a.to), a.weight);
  std::vector<double> score(n, 0);
  for (const std::size_t s : sources) {
    std::vector<double> distance(n, std::numeric_limits<double>::infinity()), dependency(n, 0);
    std::vector<Count> paths(n, 0);
    std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>>
        near;
    std::vector<std::size_t> order;
    std::vector<bool> done(n, false);
    near.emplace(distance[s] = 0, s);
    paths[s] = 1;
    while (!near.empty()) {
      const std::size_t v = near.top().second;
      near.pop();
      if (done[v]) continue;
      done[v] = true;
      order.push_back(v);
      for (const auto& [u, w] : next[v]) {
        if (distance[v] + w < distance[u]) {
          near.emplace(distance[u] = distance[v] + w, u);
          paths[u] = 0;
        }
        if (u != v && distance[v] + w == distance[u]) paths[u] += paths[v];
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t v = order[i];
      for (const auto& [u, w] : next[v])
        if (u != v && distance[v] + w == distance[u])
          dependency[v] += static_cast<double>(paths[v] / paths[u]) * (1 + dependency[u]);
      if (v != s) score[v] += dependency[v];
    }
  }
  return score;
}

}  // namespace reference
