// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <optional>
#include <queue>
#include <vector>

/// All-pairs distances in the simplest form: in 64 bits, narrowed at the end.
namespace reference {

template <class T>
using Square = std::vector<std::vector<T>>;

template <class T>
T narrowed(std::optional<atl::PathSum<T>> length) {
  if (!length || *length >= static_cast<atl::PathSum<T>>(atl::kNoPath<T>)) return atl::kNoPath<T>;
  return static_cast<T>(*length);
}

/// Floyd-Warshall on arcs in any order, including parallel ones and loops; none if there is a negative cycle.
template <class T>
std::optional<Square<T>> floyd_warshall(std::size_t n, const std::vector<atl::Arc<T>>& arcs, bool directed) {
  using Length = atl::PathSum<T>;
  std::vector<std::vector<std::optional<Length>>> d(n, std::vector<std::optional<Length>>(n));
  const auto improve = [&](std::size_t i, std::size_t j, Length x) {
    if (!d[i][j] || x < *d[i][j]) d[i][j] = x;
  };
  for (std::size_t v = 0; v < n; ++v) d[v][v] = Length{};
  for (const auto& a : arcs) {
    const auto u = static_cast<std::size_t>(a.tail), v = static_cast<std::size_t>(a.head);
    improve(u, v, static_cast<Length>(a.weight));
    if (!directed) improve(v, u, static_cast<Length>(a.weight));
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (d[i][k] && d[k][j]) improve(i, j, *d[i][k] + *d[k][j]);
  Square<T> narrow(n, std::vector<T>(n));
  for (std::size_t i = 0; i < n; ++i) {
    if (*d[i][i] < Length{}) return {};
    for (std::size_t j = 0; j < n; ++j) narrow[i][j] = narrowed<T>(d[i][j]);
  }
  return narrow;
}

/// Dijkstra from one source, weights >= 0.
template <class T>
std::vector<T> dijkstra(std::size_t n, const std::vector<atl::Arc<T>>& arcs, bool directed, std::size_t source) {
  using Length = atl::PathSum<T>;
  std::vector<std::vector<std::pair<std::size_t, Length>>> out(n);
  for (const auto& a : arcs) {
    const auto u = static_cast<std::size_t>(a.tail), v = static_cast<std::size_t>(a.head);
    out[u].emplace_back(v, static_cast<Length>(a.weight));
    if (!directed) out[v].emplace_back(u, static_cast<Length>(a.weight));
  }
  std::vector<std::optional<Length>> d(n);
  std::priority_queue<std::pair<Length, std::size_t>, std::vector<std::pair<Length, std::size_t>>, std::greater<>>
      queue;
  queue.emplace(Length{}, source);
  while (!queue.empty()) {
    const auto [length, v] = queue.top();
    queue.pop();
    if (d[v]) continue;
    d[v] = length;
    for (const auto& [u, w] : out[v])
      if (!d[u]) queue.emplace(length + w, u);
  }
  std::vector<T> narrow;
  for (const auto& length : d) narrow.push_back(narrowed<T>(length));
  return narrow;
}

}  // namespace reference
