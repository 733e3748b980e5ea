// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>

namespace atl {

/// The graph that results from contracting groups of vertices to one vertex each: undirected, one edge between two
/// groups with the sum of their weights, no self-loops. Its original ids are the labels of the groups.
///
///     const Contraction coarse(fine, weight, cluster(fine, weight, options));      // collective
///     std::vector<Rank> part = ...;                                                // [local master of coarse.graph()]
///     const std::vector<Rank> fine_part = coarse.spread(std::span<const Rank>(part));   // [local master of fine]
class Contraction {
 public:
  /// `weight` and `label` are by local master; vertices without edges are left out.
  Contraction(const Graph& fine, std::span<const Edge> weight, std::vector<Vertex> label);

  const Graph& graph() const { return graph_; }
  /// [local master] total weight of the group.
  std::span<const Edge> weight() const { return weight_; }

  /// Copies each group's value to its vertices; T{} to vertices without edges. Collective.
  template <Plain T>
  std::vector<T> spread(std::span<const T> coarse) const {
    std::vector<std::vector<T>> answers(requested_.size());
    for (std::size_t r = 0; r < requested_.size(); ++r)
      for (const Local v : requested_[r]) answers[r].push_back(coarse[v]);
    std::vector<T> value, fine(coarse_index_.size());
    for (const auto& part : graph_.world().exchange(std::move(answers)))
      value.insert(value.end(), part.begin(), part.end());
    for (std::size_t v = 0; v < coarse_index_.size(); ++v)
      if (coarse_index_[v] >= 0) fine[v] = value[coarse_index_[v]];
    return fine;
  }

 private:
  Graph graph_;
  std::vector<Edge> weight_;
  std::vector<Local> coarse_index_;  // [fine local master] index of its label among the distinct ones; -1: no edges
  std::vector<std::vector<Local>> requested_;  // [rank] own coarse masters of which it requests values
};

}  // namespace atl
