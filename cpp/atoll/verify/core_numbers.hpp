// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Whether numbers are the core numbers of an undirected graph: for each vertex the largest k such that it is in a
/// subgraph in which every vertex has at least k neighbours. Never calls the algorithm.
///
///     Verdict verdict = verify_coreness(graph, cores);      // natural order; collective
///
///     rule 1  v has at least core(v) neighbours u with core(u) >= core(v)
///     rule 2  the vertices of each number k can be taken away one after another, each with at most k neighbours left
///             among those of numbers >= k
///
/// By rule 1 the vertices of numbers >= k are such a subgraph, so no number is too large; by rule 2 no larger subgraph
/// holds one of number k, so none is too small (locality: A. Montresor, F. De Pellegrini, D. Miorandi, "Distributed
/// k-core decomposition", TPDS 24(2), 2013; taking away: V. Batagelj, M. Zaversnik, "An O(m) algorithm for cores
/// decomposition of networks", 2003). Of one wrong number, it or a neighbour that leans on it is named. Self-loops and
/// multi-edges count as in the definition: not, and once.
///
/// Cost: numbers are broadcast once to mirrors; each edge is read once from each end for each rule, for rule 2 in as
/// many rounds as a chain of removals crosses between ranks.
namespace atl {

/// InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_coreness(const Graph& graph, std::span<const Vertex> core);

}  // namespace atl
