// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>

namespace atl {

/// A graph whose groups of vertices have become one vertex each: edges between groups with the sum of their weights, no
/// self-loops, undirected. It is a Graph like any other; its original ids are the labels.
///
///     const Contraction coarse(fine, weight, cluster(fine, weight, options));      // collective
///     std::vector<Rank> part = ...;                                                // [local master of coarse.graph()]
///     const std::vector<Rank> fine_part = coarse.spread(std::span<const Rank>(part));   // [local master of fine]
class Contraction {
 public:
  /// `weight` and `label` are by local master; vertices without edges are left out.
  Contraction(const Graph& fine, std::span<const Edge> weight, std::vector<Vertex> label);

  const Graph& graph() const { return graph_; }
  /// [local master] of all that the group holds.
  std::span<const Edge> weight() const { return weight_; }

  /// Each group's value for its vertices; for those without edges, T{}. Collective.
  template <Plain T>
  std::vector<T> spread(std::span<const T> coarse) const {
    std::vector<std::vector<T>> answers(wanted_.size());
    for (std::size_t r = 0; r < wanted_.size(); ++r)
      for (const Local v : wanted_[r]) answers[r].push_back(coarse[static_cast<std::size_t>(v)]);
    std::vector<T> value, fine(place_.size());
    for (const auto& part : graph_.world().exchange(std::move(answers)))
      value.insert(value.end(), part.begin(), part.end());
    for (std::size_t v = 0; v < place_.size(); ++v)
      if (place_[v] >= 0) fine[v] = value[static_cast<std::size_t>(place_[v])];
    return fine;
  }

 private:
  Graph graph_;
  std::vector<Edge> weight_;
  std::vector<Local> place_;                // [fine local master] of its label among the distinct ones; -1: no edges
  std::vector<std::vector<Local>> wanted_;  // [rank] coarse masters here that its vertices belong to
};

}  // namespace atl
