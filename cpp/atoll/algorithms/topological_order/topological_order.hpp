// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>
#include <vector>

/// Generations of the vertices of a directed graph: an edge leads from a lower generation to a higher one, so their
/// order is topological.
///
///     TopologicalOrder order(graph);        // collective
///     TopologicalResult r;                  // its array is reused
///     order.run(r);                         // r.generation[i] by owned index
///     if (!r.acyclic) order.cycle();        // {17, 42}: 17 -> 42 -> 17
///
/// generation(v) is the number of edges of the longest path that ends at v: 0 where no edge enters. A vertex that a cycle
/// leads to, or that is on one, has none. An undirected edge is a cycle of two vertices, a self-loop one of its vertex.
/// The answer depends only on the graph. Over ranks there are as many exchanges as a path crosses between them, along
/// the edge-cut, which is there under every cut.
namespace atl {

inline constexpr Vertex kBehindCycle = -1;

struct TopologicalResult {
  Array<Vertex> generation;  ///< [owned index] kBehindCycle for a vertex on a cycle or behind one
  Vertex generations = 0;    ///< on all ranks: 1 + the greatest; 0 where no vertex has one
  bool acyclic = true;
};

class TopologicalOrder {
 public:
  /// Collective.
  explicit TopologicalOrder(const Graph& graph);
  ~TopologicalOrder();
  TopologicalOrder(const TopologicalOrder&) = delete;
  TopologicalOrder& operator=(const TopologicalOrder&) = delete;

  /// Collective.
  void run(TopologicalResult& result);
  /// After run(): original ids along the edges of a cycle, the least first, the same on all ranks; empty if there is
  /// none. Collective; gathers the vertices without a generation on every rank.
  std::vector<Vertex> cycle() const;
  std::size_t memory_bytes() const;

 private:
  class Removal;
  std::unique_ptr<Removal> removal_;
};

}  // namespace atl
