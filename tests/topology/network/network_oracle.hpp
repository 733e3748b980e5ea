// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/topology/network/network.hpp>
#include <cstdint>
#include <vector>

/// Queries of a network answered by brute force: search over a list of links, cuts over all halves.
namespace oracle {

/// Relaxes all links until nothing changes. Hosts do not forward. [vertex], -1 if unreachable.
inline std::vector<int> hops_from(const atl::Network& n, int host) {
  std::vector<int> hops(static_cast<std::size_t>(n.hosts() + n.routers()), -1);
  hops[static_cast<std::size_t>(host)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const atl::Link& l : n.links())
      for (const auto& [from, to] : {std::pair(l.a, l.b), std::pair(l.b, l.a)}) {
        const int here = hops[static_cast<std::size_t>(from)];
        int& there = hops[static_cast<std::size_t>(to)];
        if (here < 0 || (from < n.hosts() && from != host) || (there >= 0 && there <= here + 1)) continue;
        there = here + 1;
        changed = true;
      }
  }
  return hops;
}

/// The same with at most one link for which `counted` holds.
template <class Counted>
std::vector<int> hops_with_one(const atl::Network& n, int host, Counted counted) {
  const auto vertices = static_cast<std::size_t>(n.hosts() + n.routers());
  std::vector<int> hops(2 * vertices, 1 << 20);
  hops[static_cast<std::size_t>(host)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const atl::Link& l : n.links())
      for (const auto& [from, to] : {std::pair(l.a, l.b), std::pair(l.b, l.a)})
        for (const std::size_t used : {0, 1}) {
          if (from < n.hosts() && from != host) continue;
          const std::size_t after = used + (counted(l) ? 1 : 0);
          if (after > 1) continue;
          int& there = hops[after * vertices + static_cast<std::size_t>(to)];
          const int here = hops[used * vertices + static_cast<std::size_t>(from)];
          if (here + 1 >= there) continue;
          there = here + 1;
          changed = true;
        }
  }
  for (std::size_t v = 0; v < vertices; ++v) hops[v] = std::min(hops[v], hops[vertices + v]);
  hops.resize(vertices);
  return hops;
}

/// The smallest cut of links between routers over all ways to place half of the hosts on one side.
inline int bisection(const atl::Network& n) {
  const int vertices = n.hosts() + n.routers();
  int best = 1 << 20;
  for (std::uint32_t half = 0; half < (1u << n.hosts()); ++half) {
    if (__builtin_popcount(half) != n.hosts() / 2) continue;
    // Maximum flow from one half to the other, by augmenting paths of one unit.
    const int source = vertices, sink = vertices + 1;
    const auto v2 = static_cast<std::size_t>(vertices + 2);
    std::vector<int> room(v2 * v2, 0);
    const auto at = [&](int a, int b) -> int& {
      return room[static_cast<std::size_t>(a) * v2 + static_cast<std::size_t>(b)];
    };
    for (const atl::Link& l : n.links()) {
      const int capacity = l.a < n.hosts() || l.b < n.hosts() ? 1 << 10 : 1;
      at(l.a, l.b) += capacity;
      at(l.b, l.a) += capacity;
    }
    for (int h = 0; h < n.hosts(); ++h) ((half >> h & 1) ? at(source, h) : at(h, sink)) = 1 << 10;
    int flow = 0;
    while (flow < best) {
      std::vector<int> from(v2, -1), queue{source};
      from[static_cast<std::size_t>(source)] = source;
      for (std::size_t i = 0; i < queue.size() && from[static_cast<std::size_t>(sink)] < 0; ++i)
        for (int b = 0; b < vertices + 2; ++b)
          if (from[static_cast<std::size_t>(b)] < 0 && at(queue[i], b) > 0) {
            from[static_cast<std::size_t>(b)] = queue[i];
            queue.push_back(b);
          }
      if (from[static_cast<std::size_t>(sink)] < 0) break;
      ++flow;
      for (int b = sink; b != source; b = from[static_cast<std::size_t>(b)]) {
        --at(from[static_cast<std::size_t>(b)], b);
        ++at(b, from[static_cast<std::size_t>(b)]);
      }
    }
    best = std::min(best, flow);
  }
  return best;
}

}  // namespace oracle
