// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace atl {

/// A vertex in a message: its dense number, and the number of directions of the edges to it.
inline std::uint64_t word_of(Vertex dense, std::uint8_t directions) {
  return static_cast<std::uint64_t>(dense) << 2 | directions;
}
inline Vertex dense_of(std::uint64_t word) { return static_cast<Vertex>(word >> 2); }
inline std::uint8_t directions_in(std::uint64_t word) { return word & 3; }

/// Words that a rank sends in one batch, about; messages that a thread takes at a time.
inline constexpr std::size_t kWedgeBatch = std::size_t{1} << 20, kWedgeGrain = 64;

/// Counts, for one thread, the triangles that close wedges: v marks the vertices of its list, and the lists of these are
/// searched for marks.
///
///     counts.mark[w] = directions;                                  // for each w on v's list
///     sum += counts.close<kDirected>(u, directions_of_u, list, directions);   // for each u on it: u's list
///
/// Vertices are numbers on this rank, of the graph or of a HaloPlan.
struct alignas(128) WedgeCounts {
  Array<std::uint8_t> mark;  ///< [local] number of directions of edges to the current v; 0: none
  Array<Edge> corners;       ///< [local] triangles that it is in
  Array<Edge> edges;         ///< [local] directed graphs: edges between its neighbours, by direction

  /// Counts v's share of the closed triangles: their number, and the edges opposite v by direction.
  struct Sum {
    Edge triangles = 0, edges = 0;
    Sum& operator+=(const Sum& other) {
      triangles += other.triangles;
      edges += other.edges;
      return *this;
    }
  };

  WedgeCounts() = default;
  WedgeCounts(std::size_t locals, bool directed)
      : mark(locals, 0), corners(locals, 0), edges(directed ? locals : 0, 0) {}

  void clear() {
    std::fill(corners.begin(), corners.end(), 0);
    std::fill(edges.begin(), edges.end(), 0);
  }

  /// Counts the triangles of v, u and the marked vertices on u's list; `between` is the number of directions of the edges
  /// between v and u, and directions[k] of those between u and list[k]. Returns v's part.
  template <bool kDirected>
  Sum close(Local u, std::uint8_t between, std::span<const Local> list, const std::uint8_t* directions) {
    Sum of_v;
    Edge at_u = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::size_t w = index(list[k]);
      const std::uint8_t marked = mark[w];
      if (marked == 0) continue;
      ++of_v.triangles;
      ++corners[w];
      if constexpr (kDirected) {
        of_v.edges += directions[k];
        at_u += marked;
        edges[w] += between;
      }
    }
    corners[u] += of_v.triangles;
    if constexpr (kDirected) edges[u] += at_u;
    return of_v;
  }

  void add(Local v, const Sum& sum) {
    corners[v] += sum.triangles;
    if (edges.size() > 0) edges[v] += sum.edges;
  }

  std::size_t memory_bytes() const { return mark.size() + (corners.size() + edges.size()) * sizeof(Edge); }
};

/// Adds the counts of all threads to the first thread's.
inline void add_up(Team& team, std::vector<WedgeCounts>& threads) {
  constexpr std::size_t kGrain = 16384;
  WedgeCounts& all = threads[0];
  team.for_range(all.corners.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t t = 1; t < threads.size(); ++t) {
      for (std::size_t v = a; v < b; ++v) all.corners[v] += threads[t].corners[v];
      for (std::size_t v = a; v < std::min(b, all.edges.size()); ++v) all.edges[v] += threads[t].edges[v];
    }
  });
}

}  // namespace atl
