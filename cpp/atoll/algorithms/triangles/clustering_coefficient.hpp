// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// Local clustering coefficients and triangles over any number of ranks.
///
///     ClusteringResult r = clustering_coefficient(graph);       // collective; r.coefficient[natural]
///
/// With N(v) the vertices joined to v by an edge in either direction, v itself left out, and d = |N(v)|,
///
///     coefficient(v) = (edges between two vertices of N(v), by direction) / (d (d - 1)),    0 where d < 2
///
/// an undirected edge counts once in each direction: LCC of the LDBC Graphalytics specification. Weights, self-loops and the
/// number of edges between two vertices change nothing.
namespace atl {

struct ClusteringResult {
  Array<double> coefficient;  ///< [natural]
  Array<Vertex> triangles;    ///< [natural] of the graph without directions that the vertex is in
  Vertex total = 0;           ///< triangles on all ranks, each once
};

ClusteringResult clustering_coefficient(const Graph& graph);

}  // namespace atl
