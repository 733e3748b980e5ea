// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <optional>

/// Checks the truss numbers of an undirected graph: for each edge the largest k such that it is in a subgraph in which
/// every edge is in at least k - 2 triangles. Never calls the algorithm.
///
///     Verdict verdict = verify_truss_numbers(graph, {.greatest = greatest, .of_edge = numbers});     // collective
///
///     rule 1  the number of a vertex is the greatest of its edges' (0: it has none), that of an edge 2 or more, the same
///             of parallel edges, and 0 of a self-loop
///     rule 2  an edge of number t is in at least t - 2 triangles whose edges have numbers >= t
///     rule 3  the edges of each number t can be removed one after another, each in at most t - 2 triangles of those
///             that are left of number t and all of greater ones
///
/// By rule 2 the edges of numbers >= t form such a subgraph, so no number is too large; by rule 3 no larger subgraph
/// has an edge of number t, so none is too small: the check is complete. Where only numbers of vertices are given, those of
/// the edges are found by removing one edge after another.
///
/// Rank 0 gathers all edges and does this with one thread.
namespace atl {

struct TrussColumns {
  std::span<const Vertex> greatest = {};  ///< by owned index
  std::span<const Vertex> of_edge = {};   ///< in the order of TrussNumbersResult; empty on all ranks: not given
  std::optional<Vertex> largest = {};
};

/// Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_truss_numbers(const Graph& graph, const TrussColumns& columns);

}  // namespace atl
