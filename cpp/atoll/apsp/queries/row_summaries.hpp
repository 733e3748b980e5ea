// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>

/// Sums over the distances by weight between a vertex and all others, for every vertex, without a matrix of them:
/// closeness, harmonic centrality and eccentricities by weight.
///
///     const RowSummaries to = summarize_rows(graph, PathsLead::to_vertex);      // collective
///     to.reached[i] / to.farness[i]                                             // by owned index
///
/// A search from each vertex, as for all pairs (search_rows): each rank searches from its own vertices, by all threads, in
/// batches whose distances fit 64 MiB, or those of a batch of each thread. The arcs are gathered on every rank: 12 or 16
/// bytes each, twice. Distances are whole numbers where all weights are, and below 2^29 in sum, else doubles, added up from
/// the vertex on. The answer is the same for any number of ranks and threads.
namespace atl {

enum class PathsLead { from_vertex, to_vertex };

/// [owned index]
struct RowSummaries {
  Array<double> farness;   ///< sum of the distances
  Array<double> harmonic;  ///< sum of the reciprocals of those that are not 0
  Array<double> greatest;  ///< of the distances; 0 where there are none
  Array<Vertex> reached;   ///< other vertices at the ends of paths
};

/// Collective. InputError, the same on all ranks, if the graph has no weights, or if one is negative, infinite or not a
/// number. `progress`: vertices of this rank.
RowSummaries summarize_rows(const Graph& graph, PathsLead lead, const Progress& progress = {});

}  // namespace atl
