// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

/// The greatest flow from one vertex to another, and the least cut between them.
///
///     const MaximumFlow found = maximum_flow(graph, 3, 17);       // collective; the same on all ranks
///     found.value;                                                // = the capacity of the cut
///     found.flow[k];                                              // along found.source[k] -> found.target[k]
///
/// The weights are capacities; infinite ones limit nothing. An undirected edge takes flow in one direction, up to its
/// capacity. Self-loops take none. Edges between the same two vertices are what Graph has made of them: merged by their
/// sum they carry what they carry together. One process does it by one thread: the edges are gathered on every rank, and
/// each finds the same. Whole capacities are exact, up to 2^53 in sum; others as doubles, with their rounding.
namespace atl {

struct MaximumFlow {
  double value = 0;
  /// Original ids of the edges of all ranks, ascending; an undirected edge once, from its smaller id.
  Array<Vertex> source, target;
  Array<double> flow;  ///< along the edge; below 0: against the direction in which an undirected edge is listed
  /// Original ids, ascending, of the vertices from which the target can be reached along edges that could take more: the
  /// cut parts them from all others. Of several least cuts the one nearest the target.
  std::vector<Vertex> target_side;
};

/// Collective. InputError, the same on all ranks, if there is no such vertex, the two are one, the graph has no weights, one
/// is negative or not a number, or if a path of infinite capacity joins the two.
MaximumFlow maximum_flow(const Graph& graph, Vertex source, Vertex target);

}  // namespace atl
