// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/components.hpp>
#include <atoll/engine/mirror_exchange.hpp>

/// Connected components over a vertex-cut: what class Components does where the graph asks for one. Memory beside the
/// graph and the cut: 20 bytes a local vertex.
namespace atl {

class ComponentsCut {
 public:
  /// Collective.
  explicit ComponentsCut(const Graph& graph);
  ComponentsCut(const ComponentsCut&) = delete;
  ComponentsCut& operator=(const ComponentsCut&) = delete;

  /// Collective.
  void run(ComponentsResult& result);
  std::size_t memory_bytes() const;

 private:
  void grow_trees();
  void link(Local u, Local v);
  void start();
  void hear();
  void say();

  const Graph& graph_;
  World& world_;
  Team& team_;
  const VertexCut cut_;
  MirrorExchange<Vertex, MinOf> exchange_;
  const std::size_t locals_;
  Array<Local> tree_;    // [local] root of its tree
  Array<Vertex> label_;  // [local] least id that it is known to be joined to
  Array<Vertex> least_;  // [root] of its members
  VertexBits changed_;   // labels, since they were last exchanged
};

}  // namespace atl
