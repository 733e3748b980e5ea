// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks greedy colours of an undirected graph. Never calls the algorithm.
///
///     Verdict verdict = verify_colors(graph, colors);      // by owned index; collective
///
///     rule 1  a colour is 0 or more, and at most the number of the vertex's neighbours
///     rule 2  neighbours have different colours
///     rule 3  every colour below a vertex's own is one of a neighbour's: it could take none that is less
///
/// By rule 3 the colours are those of the serial algorithm in some order of the vertices, such as by ascending colour; which
/// order it was follows from no property. Self-loops do not count. Cost: colours are broadcast once to mirrors; each edge is
/// read once from each end.
namespace atl {

/// Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_colors(const Graph& graph, std::span<const Vertex> color);

}  // namespace atl
