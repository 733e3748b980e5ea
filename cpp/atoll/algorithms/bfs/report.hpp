// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/state.hpp>
#include <optional>

/// Writes a search's result by owned index from its state by local number.
///
///     BfsReport<Id> report(graph, kernels);                  // collective
///     report.write(state, source, owned_index, result);      // owned_index: -1 on ranks without the source
namespace atl {

template <class Id>
class BfsReport {
 public:
  BfsReport(const Graph& graph, const BfsKernels<Id>& kernels);
  BfsReport(const BfsReport&) = delete;
  BfsReport& operator=(const BfsReport&) = delete;

  /// On all ranks: out-edges of unreached vertices, and their self-loops.
  struct Outside {
    Edge edges, loops;
  };
  /// Writes result.parent, result.depth if the state has depths, and result.edges; result.reached is known. Few reached
  /// vertices are listed, and only their entries are written. Collective unless `outside` is given.
  void write(BfsState<Id>& state, Vertex source, Vertex owned_index, BfsResult& result,
             const std::optional<Outside>& outside = {}) const;
  /// Self-loops of this rank's unreached vertices.
  Edge loops_outside(const BfsState<Id>& state) const;
  Edge all_edges() const { return all_edges_; }  ///< adjacency entries on all ranks
  std::size_t memory_bytes() const { return order_.memory_bytes(); }

 private:
  void find_loops();
  Edge write_listed(const BfsState<Id>& state, BfsResult& result) const;
  Edge write_parents(BfsState<Id>& state, Array<Vertex>& parent) const;
  void write_depths(const BfsState<Id>& state, Array<Vertex>& depth) const;
  Edge edges_without(const Outside& outside) const;

  const Graph& graph_;
  Team& team_;
  const BfsKernels<Id>& kernels_;
  const OwnedIndexOrder order_;
  const Edge all_edges_;
  std::vector<Local> loops_;  // undirected: the vertex of each self-loop
};

}  // namespace atl
