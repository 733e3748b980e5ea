// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>

/// Connected components over any number of ranks; of a directed graph the weak ones.
///
///     Components components(graph);           // collective; buffers are made once
///     ComponentsResult r;                     // its array is used again
///     components.run(r);                      // r.component[natural]
///
/// Two vertices have the same label exactly if a path that may use edges both ways joins them; the label is the
/// smallest original id among them, so the result depends on neither threads, ranks nor layout. Weights, self-loops and
/// multi-edges change nothing.
namespace atl {

struct ComponentsResult {
  Array<Vertex> component;  ///< [natural] smallest original id of the vertex's component
  Vertex components = 0;    ///< on all ranks; isolated vertices are components of their own
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
  class Search;  // on one rank, over several
  class OneRank;
  class Distributed;
  class OnVertexCut;  // a vertex-cut
  std::unique_ptr<Search> search_;
};

}  // namespace atl
