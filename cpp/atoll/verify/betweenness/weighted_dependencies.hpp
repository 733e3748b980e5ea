// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>
#include <vector>

/// The dependencies of a source on the inner vertices of its shortest paths by weight, computed in a simple way:
/// Dijkstra's algorithm on each rank, repeated until no rank finds a shorter path; then the masters by distance, each
/// after its tight neighbours. One thread per rank; the number of rounds is how often the shortest paths cross between
/// ranks.
///
///     WeightedDependencies dependencies(graph);         // collective
///     edges += dependencies.search(source);             // inner vertices of the paths to all others
///     dependencies.add_to(sums);                        // delta of Brandes' theorem 6, by local master
namespace atl {

class WeightedDependencies {
 public:
  /// Throws InputError, the same on all ranks, if the graph has no weights or one that is not finite and positive.
  explicit WeightedDependencies(const Graph& graph);
  /// The sum over reached vertices of the inner vertices of their paths, the mean if there are several. Collective.
  double search(Vertex source);
  /// Adds the dependencies of the last search. Collective.
  void add_to(Array<double>& sums);

 private:
  double weight(const Csr& lists, std::size_t e) const;
  void find_distances(Local source);
  /// Calls f(v) for the masters in this order, each once the values of its tight neighbours in `lists` are known; then
  /// broadcasts v's values.
  template <class Order, class F>
  void propagate(const Order& order, const Csr& lists, bool entering, F&& f);
  template <class F>
  void for_tight(const Csr& lists, bool entering, Local v, F&& f) const;

  const Graph& graph_;
  World& world_;
  MirrorExchange<double, MinOf> values_;
  Array<double> distance_, value_, edges_;  // [local] value_: sigma, or (1 + delta) / sigma; 0: not known yet
  Array<double> paths_;                     // [local master]
  std::vector<Local> order_;                // reached masters by distance
  VertexBits changed_;
};

}  // namespace atl
