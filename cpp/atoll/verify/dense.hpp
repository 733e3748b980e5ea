// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/vertex_lookup.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/verify/tuples.hpp>

/// Maps original ids to the dense numbers that verifiers use.
///
///     Array<Vertex> parents = dense_of(world, graph.ids(), result.parent);
///     DenseLists lists(graph);
///     verify_bfs_tree(world, tree, lists.tuples());
namespace atl {

/// Looks ids up once, as VertexLookup::dense_of() does. Collective.
Array<Vertex> dense_of(World& world, const IdMap& ids, std::span<const Vertex> original);

/// A graph's out-lists as tuples: a directed edge once, an undirected one in both directions, a self-loop once.
class DenseLists {
 public:
  /// Collective. 8 bytes per local vertex.
  explicit DenseLists(const Graph& graph);
  /// The result refers to this object and the graph.
  Tuples tuples() const;

 private:
  const Graph& graph_;
  Array<Vertex> dense_;  // [local]
};

}  // namespace atl
