// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks the generations of vertices: the number of edges of the longest path that ends there, -1 for a vertex on a
/// cycle or behind one. Never calls the algorithm.
///
///     Verdict verdict = verify_generations(graph, generations);      // by owned index; collective
///
///     rule 1  a vertex is of generation -1 exactly where an edge from a vertex of generation -1 enters it
///     rule 2  any other is of the generation after the greatest among the tails of its edges, 0 where there are none
///
/// By rule 2 generations ascend along the edges between vertices that have one, so each cycle has a vertex of generation
/// -1, and by rule 1 all that the cycle leads to; going back from such a vertex to others never ends, so there is a
/// cycle. The others' generations follow from those before them.
///
/// Cost: generations are broadcast once to mirrors; each entering edge is read once.
namespace atl {

/// Throws InputError, the same on all ranks, if the sizes do not fit.
Verdict verify_generations(const Graph& graph, std::span<const Vertex> generation);

}  // namespace atl
