// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/verify/tuples.hpp>

/// Maps original ids to dense numbers, which verifiers use.
///
///     Array<Vertex> parents = dense_of(world, graph.ids(), result.parent);
///     DenseLists lists(graph);
///     verify_bfs_tree(world, tree, lists.tuples());
namespace atl {

/// Stands for an id that no vertex has.
inline constexpr Vertex kUnknownVertex = -2;

/// [i] dense number of ids[i]; kNoVertex stays, an id that no vertex has becomes kUnknownVertex. Collective. Where ids
/// are in a row it is a subtraction, else each id is asked for at the rank that has its place in the order of ids
/// (IdOrder).
Array<Vertex> dense_of(World& world, const IdMap& ids, std::span<const Vertex> original);

/// A graph's out-lists as tuples: a directed edge once, an undirected one both ways, a self-loop once.
class DenseLists {
 public:
  /// Collective. 8 bytes per local vertex.
  explicit DenseLists(const Graph& graph);
  /// Refers to this object and the graph.
  Tuples tuples() const;

 private:
  const Graph& graph_;
  Array<Vertex> dense_;  // [local]
};

}  // namespace atl
