// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/verify/verdict.hpp>

/// Checks a maximal matching of an undirected graph. Never calls the algorithm.
///
///     Verdict verdict = verify_matching(graph, mate, EdgeWeighting::of_edges);   // by owned index; collective
///
///     rule 1  a mate is a neighbour, other than the vertex itself; or there is none
///     rule 2  a vertex is the mate of its mate
///     rule 3  of two neighbours one at least has a mate
///     rule 4  by weight: no edge is heavier than both of the edges by which its ends are matched
///
/// By rule 4 the matching is one of locally dominant edges, so that by weights that are not negative it weighs at least half
/// of the heaviest one: the edges of that can be charged to edges of this that weigh as much, at most two to each. Which of
/// several it is follows from no property but the algorithm's order of equal edges. Of several edges between two vertices
/// the heaviest counts. Cost: mates and weights are broadcast once each to mirrors; each edge is read twice from each end.
namespace atl {

/// Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_matching(const Graph& graph, std::span<const Vertex> mate, EdgeWeighting weighting);

}  // namespace atl
