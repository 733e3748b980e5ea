// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>

/// Strongly connected components over any number of ranks: two vertices are in one if a path leads from each to the
/// other.
///
///     StrongComponents search(graph);           // collective: layouts and buffers
///     StrongComponentsResult r;
///     search.run(r);                            // collective; r.component[i] by owned index
///
/// In an undirected graph they are the connected components. Weights, self-loops and multi-edges do not matter.
namespace atl {

struct StrongComponentsResult {
  Array<Vertex> component;  ///< [owned index] the smallest original id of the vertex's component
  Vertex components = 0;    ///< on all ranks; an isolated vertex is one
};

class StrongComponentsSearch;

class StrongComponents {
 public:
  /// Collective.
  explicit StrongComponents(const Graph& graph);
  ~StrongComponents();
  StrongComponents(const StrongComponents&) = delete;
  StrongComponents& operator=(const StrongComponents&) = delete;

  /// Collective.
  void run(StrongComponentsResult& result);
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<StrongComponentsSearch> search_;
};

/// Once. Collective.
StrongComponentsResult strong_components(const Graph& graph);

}  // namespace atl
