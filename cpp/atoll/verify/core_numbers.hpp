// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks the core numbers of an undirected graph: for each vertex the largest k such that it is in a subgraph in which
/// every vertex has at least k neighbours. Never calls the algorithm.
///
///     Verdict verdict = verify_coreness(graph, cores);      // by owned index; collective
///
///     rule 1  v has at least core(v) neighbours u with core(u) >= core(v)
///     rule 2  the vertices of each number k can be removed one after another, each with at most k neighbours left
///             among those with numbers >= k
///
/// By rule 1 the vertices with numbers >= k form such a subgraph, so no number is too large; by rule 2 no larger
/// subgraph contains a vertex of number k, so none is too small (locality: A. Montresor, F. De Pellegrini, D. Miorandi,
/// "Distributed k-core decomposition", TPDS 24(2), 2013; removal: V. Batagelj, M. Zaversnik, "An O(m) algorithm for
/// cores decomposition of networks", 2003). If one number is wrong, it or a neighbour that depends on it is named. As
/// in the definition, self-loops do not count and multi-edges count once.
///
/// Cost: numbers are broadcast once to mirrors; each edge is read once from each endpoint for each rule, for rule 2 in
/// as many rounds as a chain of removals crosses between ranks.
namespace atl {

/// Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_coreness(const Graph& graph, std::span<const Vertex> core);

}  // namespace atl
