// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/graph/graph.hpp>
#include <span>
#include <vector>

/// The modularity of a partition of an undirected graph, by its formula [1], over any number of ranks.
///
///     CommunityWeightTable table(graph, labels, EdgeWeighting::ones);      // labels by owned index; collective
///     table.modularity(1.0);
///
/// Q = sum over communities c of L_c / m - resolution (k_c / 2m)^2, where m is the weight of all edges, L_c of those
/// inside c, and k_c the sum of the weighted degrees of its vertices; a self-loop counts once in L_c and twice in k_c.
/// [1] M. E. J. Newman. "Networks: An Introduction", 2011, equation 7.76; the resolution is that of J. Reichardt and
/// S. Bornholdt, Physical Review E 74, 2006.
namespace atl {

/// Sums over the communities that labels name, known to all ranks that have a vertex or a mirror of one.
class CommunityWeightTable {
 public:
  /// Collective. InputError, the same on all ranks, if the graph is directed, there is not one label for each vertex,
  /// or weights are asked for that there are not.
  CommunityWeightTable(const Graph& graph, std::span<const Vertex> label, EdgeWeighting weighting);

  /// Collective. 0 if there is no weight.
  double modularity(double resolution) const;
  /// Communities on all ranks.
  Vertex communities() const { return communities_; }

  struct Pair {
    Vertex a = kNoVertex, b = kNoVertex;  ///< labels, a < b
    double gain = 0;                      ///< of the modularity if the two were one community
  };
  /// The two neighbouring communities that gain most together. Collective.
  Pair best_union(double resolution) const;

  /// By local number, mirrors included.
  std::span<const Vertex> labels() const { return {labels_.data(), labels_.size()}; }

 private:
  struct Community {
    Vertex label;
    double degree;
  };

  void sum_up();
  std::size_t number_of(Vertex label) const;
  Rank owner_of(Vertex label) const;

  const Graph& graph_;
  World& world_;
  Array<Vertex> labels_;         // [local]
  std::vector<Vertex> names_;    // labels of masters and mirrors here, ascending
  Array<Local> number_;          // [local] position in names_
  std::vector<double> degree_;   // [number] of the whole community
  std::vector<Community> mine_;  // communities that this rank sums up, by ascending label
  Vertex communities_ = 0;
  double inside_ = 0, total_ = 0;  // twice the weight inside communities, and of all edges; on all ranks
  EdgeWeighting weighting_;
};

}  // namespace atl
