// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/halo_exchange.hpp>

/// Exchanges values of vertices between masters and their mirrors on other ranks: reduce and broadcast of the LCI
/// paper's graph engine Abelian [1], over any route. The halo exchange of the vertices that ranks share.
///
///     MirrorExchange<float, MinOf> exchange(graph);            // collective
///     exchange.reduce(distance, changed);                      // mirrors -> masters, where changed; combined by MinOf
///     exchange.broadcast(distance, changed);                   // masters -> mirrors, where changed
///
/// `values` and `changed` are by local number; with several values per vertex (`lanes`), lane l of vertex v is at v *
/// lanes + l. On a route of several hops they are sent as records, whatever their number (HaloPath::route).
///
/// Over a vertex-cut only the mirrors that the operator needs take part: reduce those that edges enter, broadcast those
/// that edges leave. So in a cartesian cut a rank exchanges only with its row and column of the grid.
///
///     MirrorExchange<float, SumOf> exchange(GraphView::of(graph, CutRows::targets));
///
/// [1] section II of "A Lightweight Communication Runtime for Distributed Graph Analytics", IPDPS 2018.
namespace atl {

template <Plain T, class Combine>
class MirrorExchange : public HaloExchange<T, Combine> {
 public:
  explicit MirrorExchange(const Graph& graph, Combine combine = {}, std::size_t lanes = 1)
      : MirrorExchange(GraphView::all_of(graph), std::move(combine), lanes) {}
  explicit MirrorExchange(const GraphView& view, Combine combine = {}, std::size_t lanes = 1)
      : HaloExchange<T, Combine>(std::make_shared<const HaloPlan>(view), lanes, HaloPath::route, std::move(combine)) {}

  /// Number of values that broadcast_all() sends, on all ranks.
  double mirrors() const { return this->copies(); }
};

}  // namespace atl
