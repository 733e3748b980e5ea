// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/graph/graph.hpp>
#include <atomic>
#include <cstdint>
#include <vector>

namespace atl {

/// Depth-first search for the strongly connected components of a part of a graph [1], by a path of visits in place of
/// recursion.
///
///     DepthFirstComponents search;               // of one thread
///     const Vertex components = search.run(lists, root, visit, part, [&](Local u, Local v) { return id(u) < id(v); });
///
/// `root` is [vertex]: the vertices of the part have the number `part`, which is below 0, and get the vertex of their
/// component that is before all others. `visit` is [vertex], 0 for vertices of the part. Several threads may search
/// parts of one graph at once.
///
/// Memory: 20 bytes a vertex at most.
///
/// [1] R. Tarjan. "Depth-first search and linear graph algorithms." SIAM J. Computing 1(2), 1972.
class DepthFirstComponents {
 public:
  template <class IsBefore>
  Vertex run(const Csr& lists, Array<Local>& root, Array<std::uint32_t>& visit, Local part, IsBefore&& is_before);
  std::size_t memory_bytes() const { return open_.capacity() * sizeof(Local) + path_.capacity() * sizeof(Visit); }

 private:
  // A vertex whose edges the search is following.
  struct Visit {
    Local vertex;
    std::uint32_t lowest;  // of the visits that it can go back to
    Edge next;
  };

  std::vector<Local> open_;  // visited, their component not yet known
  std::vector<Visit> path_;
};

template <class IsBefore>
Vertex DepthFirstComponents::run(const Csr& lists, Array<Local>& root, Array<std::uint32_t>& visit, Local part,
                                 IsBefore&& is_before) {
  const auto root_of = [&](Local v) { return std::atomic_ref(root[v]).load(std::memory_order_relaxed); };
  const auto vertices = static_cast<Local>(root.size());
  Vertex components = 0;
  std::uint32_t visits = 0;
  const auto go_to = [&](Local v) {
    visit[v] = ++visits;
    open_.push_back(v);
    path_.push_back({v, visits, lists.offsets[v]});
  };
  // The open vertices from v on are a component.
  const auto close = [&](Local v) {
    std::size_t first = open_.size();
    Local least = v;
    do {
      --first;
      if (is_before(open_[first], least)) least = open_[first];
    } while (open_[first] != v);
    for (std::size_t i = first; i < open_.size(); ++i)
      std::atomic_ref(root[open_[i]]).store(least, std::memory_order_relaxed);
    open_.resize(first);
    ++components;
  };
  open_.clear();  // a run that was cancelled leaves some
  path_.clear();
  for (Local start = 0; start < vertices; ++start) {
    if (root_of(start) != part) continue;
    go_to(start);
    while (!path_.empty()) {
      Visit& here = path_.back();
      const Local v = here.vertex;
      const Edge end = lists.offsets[index(v) + 1];
      Local unvisited = -1;
      while (here.next < end && unvisited < 0) {
        const Local u = lists.targets[here.next++];
        if (root_of(u) != part) continue;
        if (visit[u] == 0) {
          unvisited = u;
        } else {
          here.lowest = std::min(here.lowest, visit[u]);
        }
      }
      if (unvisited >= 0) {
        go_to(unvisited);
        continue;
      }
      const std::uint32_t lowest = here.lowest;
      path_.pop_back();
      if (lowest == visit[v]) {
        close(v);
      } else {
        path_.back().lowest = std::min(path_.back().lowest, lowest);
      }
    }
  }
  return components;
}

}  // namespace atl
