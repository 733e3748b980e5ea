// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/id_order.hpp>
#include <limits>
#include <vector>

namespace atl {

/// Positions of a rank's local vertices, mirrors included, in the ascending order of all ids: numbers 0 .. n-1 that
/// every rank knows of its vertices, whatever the partition.
///
///     const IdPositions positions(graph);              // collective
///     positions[v];                                    // of a local vertex
///     positions.local_at(positions[v]);                // v
///     positions.blocks();                              // a rank for each position, and how many it has
///
/// Memory: 12 bytes a local vertex, and as IdOrder.
class IdPositions {
 public:
  explicit IdPositions(const Graph& graph)
      : order_(graph.world(), graph.ids()), position_(index(graph.locals()), kNowhere), locals_(index(graph.locals())) {
    World& world = graph.world();
    std::vector<Vertex> dense(index(order_.size()));
    for (Vertex k = 0; k < order_.size(); ++k) dense[k] = order_.dense_at(k);
    const auto plan = std::make_shared<const HaloPlan>(world, graph.blocks(), dense);
    std::vector<Vertex> by_row(plan->rows(), kNowhere);
    for (std::size_t k = 0; k < dense.size(); ++k)
      by_row[plan->local_row(dense[k])] = order_.blocks().begin(world.rank()) + static_cast<Vertex>(k);
    HaloExchange<Vertex, MinOf>(plan, 1).reduce_all(by_row);
    for (Vertex k = 0; k < graph.owned(); ++k) position_[graph.local_of(k)] = by_row[k];
    MirrorExchange<Vertex, MinOf>(graph).broadcast_all({position_.data(), position_.size()});
    for (std::size_t v = 0; v < locals_.size(); ++v) locals_[v] = static_cast<Local>(v);
    std::sort(locals_.begin(), locals_.end(), [&](Local u, Local v) { return position_[u] < position_[v]; });
  }

  Vertex operator[](Local v) const { return position_[v]; }
  const Blocks& blocks() const { return order_.blocks(); }
  const IdOrder& order() const { return order_; }
  /// Local vertices by ascending id; at the end, numbers that no vertex has.
  const Array<Local>& locals() const { return locals_; }
  /// A vertex that this rank has.
  Local local_at(Vertex position) const {
    return *std::lower_bound(locals_.begin(), locals_.end(), position,
                             [&](Local v, Vertex value) { return position_[v] < value; });
  }
  std::size_t memory_bytes() const { return position_.size() * (sizeof(Vertex) + sizeof(Local)); }

 private:
  static constexpr Vertex kNowhere = std::numeric_limits<Vertex>::max();

  IdOrder order_;
  Array<Vertex> position_;  // [local]
  Array<Local> locals_;
};

}  // namespace atl
