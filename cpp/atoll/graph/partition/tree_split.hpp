// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <cstdint>
#include <vector>

namespace atl {

/// An undirected weighted graph on one rank: each edge in both lists, no self-loops.
struct WeightedGraph {
  std::vector<std::size_t> offsets;  ///< [vertex], size + 1
  std::vector<std::uint32_t> targets;
  std::vector<double> weights;  ///< one a target
  std::vector<Edge> weight;     ///< [vertex]
  std::size_t size() const { return weight.size(); }
};

/// Assigns a rank to each vertex by recursive bisection along the tree of domains, from the highest level down; a
/// domain's part is proportional to its number of ranks. Each bisection grows a part from a peripheral vertex and then
/// moves vertices between the parts while that lowers the cut [1, 2]. Balanced within `slack`, as far as single
/// vertices allow. Serial and deterministic.
///
/// [1] G. Karypis, V. Kumar. "A fast and high quality multilevel scheme for partitioning irregular graphs." SISC 20(1),
/// 1998.
/// [2] C. Fiduccia, R. Mattheyses. "A linear-time heuristic for improving network partitions." DAC 1982.
std::vector<Rank> split_by_tree(const WeightedGraph& graph, const Hierarchy& machine, double slack = 0.05);

}  // namespace atl
