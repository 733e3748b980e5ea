// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>

/// Local clustering coefficients and triangles over any number of ranks.
///
///     ClusteringResult r = clustering_coefficient(graph);       // collective; r.coefficient[i], i: owned index
///     ClusteringCoefficient counting(graph);                    // to count often: makes lists and buffers once
///     counting.run(r);                                          // reuses r's arrays
///
/// With N(v) the vertices joined to v by an edge in either direction, v itself left out, and d = |N(v)|,
///
///     coefficient(v) = (edges between two vertices of N(v), by direction) / (d (d - 1)),    0 where d < 2
///
/// An undirected edge counts once in each direction: LCC of the LDBC Graphalytics specification. Weights, self-loops
/// and the number of edges between two vertices do not matter.
namespace atl {

struct ClusteringResult {
  Array<double> coefficient;  ///< [owned index]
  Array<Vertex> triangles;    ///< [owned index] triangles with the vertex, ignoring directions
  Vertex total = 0;           ///< triangles on all ranks, each once
};

class ClusteringCoefficient {
 public:
  /// Collective. The graph outlives this object.
  explicit ClusteringCoefficient(const Graph& graph);
  ~ClusteringCoefficient();
  ClusteringCoefficient(const ClusteringCoefficient&) = delete;
  ClusteringCoefficient& operator=(const ClusteringCoefficient&) = delete;

  /// Collective.
  void run(ClusteringResult& result);
  std::size_t memory_bytes() const;

 private:
  class Counting;  // on one rank, over several, or over a vertex-cut
  class OnOneRank;
  class OnVertexCut;
  class OverRanks;
  std::unique_ptr<Counting> counting_;
};

ClusteringResult clustering_coefficient(const Graph& graph);

}  // namespace atl
