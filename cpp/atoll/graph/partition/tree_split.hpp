// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <cstdint>
#include <vector>

namespace atl {

/// An undirected graph with weights, whole in memory: each edge in both lists, no self-loops.
struct WeightedGraph {
  std::vector<std::size_t> offsets;  ///< [vertex], one more
  std::vector<std::uint32_t> targets;
  std::vector<double> weights;  ///< one a target
  std::vector<Edge> weight;     ///< [vertex]
  std::size_t size() const { return weight.size(); }
};

/// A rank for each vertex: the graph is cut along the walls of the tree, the highest first, into parts by the domains'
/// numbers of ranks. Each cut grows a part from a vertex at the rim and then moves vertices over while that makes it
/// smaller [1, 2]. Within `slack` of even, as far as single vertices let it. Serial; the same every time.
///
/// [1] G. Karypis, V. Kumar. "A fast and high quality multilevel scheme for partitioning irregular graphs." SISC 20(1),
/// 1998.
/// [2] C. Fiduccia, R. Mattheyses. "A linear-time heuristic for improving network partitions." DAC 1982.
std::vector<Rank> split_by_tree(const WeightedGraph& graph, const Hierarchy& machine, double slack = 0.05);

}  // namespace atl
