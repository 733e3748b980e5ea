// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks a maximal independent set of an undirected graph. Never calls the algorithm.
///
///     Verdict verdict = verify_independent_set(graph, member);      // 1 or 0 by owned index; collective
///
///     rule 1  every value is 0 or 1
///     rule 2  no two members are neighbours
///     rule 3  a vertex that is no member has a neighbour that is one
///
/// Any maximal independent set passes: which one it is follows from no property but the algorithm's order. Self-loops do
/// not count. Cost: values are broadcast once to mirrors; each edge is read once from each end.
namespace atl {

/// Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_independent_set(const Graph& graph, std::span<const Vertex> member);

}  // namespace atl
