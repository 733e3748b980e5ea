// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>

/// Minimum or maximum spanning forest of an undirected graph over any number of ranks: the n - c edges of least (or
/// greatest) total weight that connect each of the c components, as trees whose roots are the smallest ids.
///
///     SpanningForest forest(graph, EdgeWeighting::of_edges);      // collective: checks weights, orders vertices
///     SpanningForestResult r;                                  // its arrays are reused
///     forest.run(ForestKind::minimum, r);                      // collective; r.parent[i] by owned index
///
/// Edges of equal weight are taken by the smaller id of their ends, then by the larger, so that there is one answer for
/// any number of ranks and threads. Weights may be negative and infinite. Self-loops do not matter; of several edges
/// between two vertices at most the best is taken.
///
/// On one rank: rounds of Boruvka, in parallel [1], over the light edges first where there are many more edges than
/// vertices [2]; each round at least halves the trees that have an edge to another. Memory: 24 bytes a vertex, and 12
/// (float64 weights: 16) for each edge that a rank lists, of which only the part is touched that joins two trees after
/// the first round, which reads the lists alone.
///
/// Over few ranks that share many edges, where all lists fit Plan::replicated_bytes, rank 0 gathers them. Over others,
/// for any cut: each rank finds with its own edges as much of the forest as it can be sure of, in pieces, and leaves out
/// all edges that are not in the forest of what it knows [3]. The edges between pieces that remain are gathered on rank
/// 0 where they fit Plan::replicated_bytes; else rounds of Boruvka and Euler tours run over ranks (pieces.hpp). Memory
/// besides: 40 bytes a local vertex.
///
/// [1] D. A. Bader, G. Cong. "Fast shared-memory algorithms for computing the minimum spanning forest of sparse
/// graphs." J. Parallel Distrib. Comput. 66(11), 2006. Deviation: labels of a union-find in place of compacted graphs.
/// [2] V. Osipov, P. Sanders, J. Singler. "The Filter-Kruskal minimum spanning tree algorithm." ALENEX 2009.
/// [3] P. Sanders, M. Schimek. "Engineering massively parallel MST algorithms." IPDPS 2023.
namespace atl {

enum class ForestKind { minimum, maximum };

struct SpanningForestResult {
  Array<Vertex> parent;     ///< [owned index] original id of the next vertex towards the root; a root has its own
  Array<double> weight;     ///< [owned index] of the edge to the parent; 0 of a root
  double total_weight = 0;  ///< on all ranks, added up with twice the digits of a float64
  Vertex trees = 0;         ///< components; an isolated vertex is one
  Vertex edges = 0;         ///< vertices - trees
};

class SpanningForest {
 public:
  /// Collective. By weight a graph without weights has 1 each. InputError, the same on all ranks, if the graph is directed or
  /// a weight is not a number.
  SpanningForest(const Graph& graph, EdgeWeighting weights);
  ~SpanningForest();
  SpanningForest(const SpanningForest&) = delete;
  SpanningForest& operator=(const SpanningForest&) = delete;

  /// Collective. InputError for a maximum forest of a graph whose multi-edges were merged to the least weight.
  void run(ForestKind kind, SpanningForestResult& result);
  std::size_t memory_bytes() const;

 private:
  class Search;  // on one rank or over several, with keys of 32 or 64 bits
  template <class Key>
  class OneRank;
  template <class Key>
  class OnFirstRank;
  template <class Key>
  class Distributed;
  const Graph& graph_;
  const EdgeWeighting weights_;
  std::unique_ptr<Search> search_;
};

}  // namespace atl
