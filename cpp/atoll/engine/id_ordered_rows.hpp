// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/graph/graph.hpp>
#include <span>

/// A graph's adjacency lists with neighbours in ascending order of their original ids, and parallel edges by weight. A
/// list's k-th edge is then the same for any ranks and partition, so what draws a position draws the same edge.
///
///     const IdOrderedRows rows(graph, graph.out(), EdgeWeighting::of_edges);
///     rows.target(rows.begin(v) + k);                                          // of a master v
///     rows.weight(rows.begin(v) + k);
///
/// Refers to the graph, which outlives it. Memory: 4 bytes an edge, 12 or 16 with weights.
namespace atl {

/// Throws InputError, the same on all ranks, if the graph has no weights, or `lists`, its leaving or entering edges, have
/// one that is negative, infinite or not a number: edges are not drawn in proportion to that. Collective.
void require_chances(const Graph& graph, const Csr& lists);

class IdOrderedRows {
 public:
  /// `lists` are graph.out() or graph.in(), with weights if EdgeWeighting::of_edges. Local work, with the team.
  IdOrderedRows(const Graph& graph, const Csr& lists, EdgeWeighting weighting);

  Edge begin(Local master) const { return lists_.offsets[master]; }
  Edge degree(Local master) const { return lists_.degree(master); }
  Local target(Edge e) const { return targets_[index(e)]; }
  std::span<const Local> targets(Local master) const {
    return {targets_.data() + begin(master), static_cast<std::size_t>(degree(master))};
  }
  /// The weights of a master's edges; the rows have some.
  std::span<const double> weights(Local master) const {
    return {weights_.data() + begin(master), static_cast<std::size_t>(degree(master))};
  }
  bool weighted() const { return weighted_; }
  const Edge* offsets() const { return lists_.offsets.data(); }
  const Local* all_targets() const { return targets_.data(); }
  std::size_t memory_bytes() const { return targets_.size() * sizeof(Local) + weights_.size() * sizeof(double); }

 private:
  const Csr& lists_;
  const bool weighted_;
  Array<Local> targets_;
  Array<double> weights_;  // empty if the edges count alike
};

}  // namespace atl
