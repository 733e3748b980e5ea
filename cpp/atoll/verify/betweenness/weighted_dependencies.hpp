// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>
#include <vector>

/// What the vertices inside the shortest paths by weight from a source depend on it for, by a plain form: Dijkstra's
/// algorithm on each rank until no rank has anything shorter, then the masters by distance, each once its neighbours are
/// done. One thread a rank; as many rounds as the longest of the shortest paths changes ranks.
///
///     WeightedDependencies dependencies(graph);         // collective
///     edges += dependencies.search(source);             // edges on the shortest paths to others, less one each
///     dependencies.add_to(sums);                        // delta of Brandes' theorem 6, by local master
namespace atl {

class WeightedDependencies {
 public:
  /// InputError, the same on all ranks, if the graph has no weights or one that is not finite and above 0.
  explicit WeightedDependencies(const Graph& graph);
  /// The sum over what it reaches: of several paths to a vertex, the mean. Collective.
  double search(Vertex source);
  /// Of the last search. Collective.
  void add_to(Array<double>& sums);

 private:
  double weight(const Csr& lists, std::size_t e) const;
  void find_distances(Local source);
  /// Calls f(v) for the masters in this order, each once the values of its tight neighbours in `lists` are known; then v's
  /// are told.
  template <class Order, class F>
  void settle(const Order& order, const Csr& lists, bool entering, F&& f);
  template <class F>
  void for_tight(const Csr& lists, bool entering, Local v, F&& f) const;

  const Graph& graph_;
  World& world_;
  MirrorExchange<double, MinOf> values_;
  Array<double> distance_, value_, edges_;  // [local] value_: sigma, or (1 + delta) / sigma; 0 where not known yet
  Array<double> paths_;                     // [local master]
  std::vector<Local> order_;                // reached masters by distance
  VertexBits told_;
};

}  // namespace atl
