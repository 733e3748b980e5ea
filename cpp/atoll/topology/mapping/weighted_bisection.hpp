// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace atl {

/// A graph whose vertices have sizes and whose edges have weights; each edge stands at both its ends.
///
///     WeightedGraph graph;
///     graph.add_vertex(1, {{1, 5.0}});   // vertex 0 of size 1, an edge of weight 5 to vertex 1
///     graph.add_vertex(1, {{0, 5.0}}, -2.0);
struct WeightedGraph {
  struct Edge {
    int to;
    double weight;
  };
  std::vector<std::size_t> first{0};  ///< [vertex] into edges
  std::vector<Edge> edges;
  std::vector<std::int64_t> size;  ///< [vertex] at least 1
  std::vector<double> pull;        ///< [vertex] what it costs in part 1 beyond what it costs in part 0

  int vertices() const { return static_cast<int>(size.size()); }
  std::span<const Edge> of(int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {edges.data() + first[v], first[v + 1] - first[v]};
  }
  void add_vertex(std::int64_t vertex_size, std::span<const Edge> ends, double vertex_pull = 0) {
    edges.insert(edges.end(), ends.begin(), ends.end());
    first.push_back(edges.size());
    size.push_back(vertex_size);
    pull.push_back(vertex_pull);
  }
};

/// The sizes that part 0 may have.
struct PartBounds {
  std::int64_t least, most;
};

/// Divides the vertices into two parts with little weight between them, plus the pulls of part 1: multilevel, by
/// heavy-edge matching [1] and the passes of Fiduccia and Mattheyses [2], here with a heap as weights are real.
/// The best of `tries`, or of fewer where the graph has many edges. [vertex] 0 or 1. Part 0 may miss its bounds where
/// vertices differ in size. O(edges log edges).
///
/// [1] G. Karypis, V. Kumar. "A fast and high quality multilevel scheme for partitioning irregular graphs." SIAM J.
///     Sci. Comput. 20(1), 1998.
/// [2] C. Fiduccia, R. Mattheyses. "A linear-time heuristic for improving network partitions." DAC 1982.
std::vector<char> bisected(const WeightedGraph& graph, const PartBounds& bounds, Random& random, int tries = 1);

}  // namespace atl
