// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/id_order.hpp>
#include <optional>
#include <span>

/// Finds vertices by their original ids, many at a time.
///
///     const VertexLookup lookup(world, graph.ids());             // collective
///     const Array<Vertex> dense = lookup.dense_of(ids);          // collective; each rank asks for its own list
///     graph.blocks().owner(dense[0]);
///
/// Consecutive ids are translated by a subtraction; otherwise each id is looked up at the rank of its place in the order
/// of ids, and memory is that of an IdOrder. Refers to the World and the ids, which outlive it.
namespace atl {

/// The dense number of an id that no vertex has.
inline constexpr Vertex kUnknownVertex = -2;

class VertexLookup {
 public:
  VertexLookup(World& world, const IdMap& ids);

  /// [i] the dense number of original[i]; kNoVertex is kept, an id that no vertex has becomes kUnknownVertex. Collective.
  Array<Vertex> dense_of(std::span<const Vertex> original) const;

 private:
  World& world_;
  const IdMap& ids_;
  std::optional<IdOrder> order_;  // empty: ids are consecutive
};

}  // namespace atl
