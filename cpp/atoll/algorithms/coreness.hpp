// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// Core numbers of an undirected graph over any number of ranks: the largest k such that the vertex is in a subgraph in
/// which every vertex has at least k neighbours.
///
///     CorenessResult r = coreness(graph);       // collective; r.core[natural]
///
/// By repeated h-index [1]: a vertex's number, at first its degree, becomes the largest h such that h of its neighbours
/// have at least h, until nothing changes. Weights, self-loops and the number of edges between two vertices change
/// nothing.
/// [1] L. Lu, T. Zhou, Q. Zhang, H. Stanley. "The H-index of a network node and its relation to degree and coreness."
/// Nature Communications 7, 2016.
namespace atl {

struct CorenessResult {
  Array<Vertex> core;     ///< [natural]
  Vertex degeneracy = 0;  ///< the largest core number on all ranks
  int rounds = 0;
};

/// InputError if the graph is directed.
CorenessResult coreness(const Graph& graph);

}  // namespace atl
