// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>
#include <span>

/// Closeness and harmonic centrality by edges, over any number of ranks, from all vertices or from some sources.
///
///     Closeness closeness(graph);                       // collective; the first run allocates buffers
///     ClosenessResult r;                                // its arrays are reused
///     closeness.run({}, r);                             // r.closeness[i], r.harmonic[i] by owned index
///
/// Distances are those to the vertex, as NetworkX has them; in directed graphs paths follow edges from source to
/// target. With R(v) the vertices other than v that reach it, r = |R(v)| and n vertices:
///
///     farness(v) = sum over u in R(v) of d(u, v)
///     closeness(v) = (r / (n - 1)) (r / farness(v)), 0 if r is 0 [1]
///     harmonic(v) = sum over u in R(v) of 1 / d(u, v)
///
/// From some sources each sum has only these, and is scaled up: of k sources those other than v, k or k - 1,
/// stand for n - 1 vertices. If they are drawn at random, the estimates of farness and of harmonic have no bias, and k
/// = O(log n / e^2) sources give every mean distance of a connected undirected graph with an error of at most e times
/// the diameter, with high probability [2]. Weights, self-loops and multi-edges do not matter. Sums are of whole
/// numbers, so all values are the same for any number of ranks and threads.
///
/// [1] S. Wasserman, K. Faust. "Social Network Analysis." Cambridge University Press, 1994, section 5.2.
/// [2] D. Eppstein, J. Wang. "Fast approximation of centrality." J. Graph Algorithms and Applications 8(1), 2004.
namespace atl {

struct ClosenessOptions {
  /// Original ids, the same on all ranks; one that is there twice counts once. Empty: all vertices.
  std::optional<std::span<const Vertex>> sources = {};
  Progress progress = {};  ///< sources
};

struct ClosenessResult {
  Array<double> closeness, harmonic;  ///< [owned index]
  Array<Vertex> farness, reached;     ///< [owned index] from the sources, not scaled; reached: sources that reach it
  Vertex sources = 0;
};

class Closeness {
 public:
  /// Collective.
  explicit Closeness(const Graph& graph);
  ~Closeness();
  Closeness(const Closeness&) = delete;
  Closeness& operator=(const Closeness&) = delete;

  /// Collective. InputError, before any work and the same on all ranks, if no vertex has the id of a source.
  void run(const ClosenessOptions& options, ClosenessResult& result);
  std::size_t memory_bytes() const;

 private:
  class Searches;
  std::unique_ptr<Searches> searches_;
};

}  // namespace atl
