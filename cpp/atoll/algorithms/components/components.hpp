// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>

/// Connected components over any number of ranks; of a directed graph the weak ones.
///
///     Components components(graph);           // collective; allocates buffers once
///     ComponentsResult r;                     // its array is reused
///     components.run(r);                      // r.component[i] by owned index
///
/// Two vertices have the same label exactly if a path joins them that may follow edges in both directions. The label is
/// the smallest original id in the component, so the result depends on neither threads, ranks nor layout. Weights,
/// self-loops and multi-edges do not matter.
namespace atl {

struct ComponentsResult {
  Array<Vertex> component;  ///< [owned index] smallest original id of the vertex's component
  Vertex components = 0;    ///< number of components on all ranks; an isolated vertex is a component
};

class Components {
 public:
  /// Collective.
  explicit Components(const Graph& graph);
  ~Components();
  Components(const Components&) = delete;
  Components& operator=(const Components&) = delete;

  /// Collective.
  void run(ComponentsResult& result);
  std::size_t memory_bytes() const;

 private:
  class Search;  // along the edge-cut, which is there under every cut
  std::unique_ptr<Search> search_;
};

}  // namespace atl
