// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <utility>

namespace atl {

/// Calls f(neighbour) once for each distinct vertex in v's sorted list but v itself.
template <class F>
void for_distinct_neighbours(const Csr& lists, Local v, F&& f) {
  Local before = v;
  for (const Local u : lists.neighbours(v)) {
    if (u != v && u != before) f(u);
    before = u;
  }
}

/// The number of distinct neighbours of each vertex, itself not counted, and of vertices that have it as a neighbour.
///
///     const NeighbourCounts counts(graph);          // collective
///     counts.neighbours(v), counts.followers(u);    // of any local vertex, mirrors included
///
/// In an undirected graph both are the same. Memory: 4 bytes a local vertex, directed 8.
class NeighbourCounts {
 public:
  explicit NeighbourCounts(const Graph& graph);

  Edge neighbours(Local v) const { return neighbours_[v]; }
  Edge followers(Local v) const { return followers_.empty() ? neighbours_[v] : followers_[v]; }
  std::size_t memory_bytes() const { return (neighbours_.size() + followers_.size()) * sizeof(Local); }

 private:
  Array<Local> neighbours_, followers_;  // [local]; the second one only if directed
};

}  // namespace atl
