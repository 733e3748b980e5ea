// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <optional>

/// Checks biconnected components, articulation points and bridges of an undirected graph. Never calls the algorithm.
///
///     Verdict verdict = verify_biconnected_components(graph, {.blocks = blocks, .block = block});  // collective
///
///     rule 1  a vertex is in no fewer than 0 blocks, and an articulation point if it is in two or more
///     rule 2  the ends of each edge have the same block, or one is the head of the other
///     rule 3  values are those that a depth-first search by one thread finds, with the lowpoint of each vertex
///
/// Rule 3 implies the others: with it the check is complete. On one rank it reads the graph's own lists. Over ranks,
/// rank 0 gathers all edges for it. Where these, with 16 bytes each, are more than Plan::replicated_bytes, rules 1 and 2
/// hold for all, and instead
///
///     rule 4  without a vertex its connected component falls into as many pieces as blocks hold the vertex (3 and more
///             are not told apart)
///
/// for drawn vertices, by floods of the rest: then the check is not complete.
namespace atl {

/// Columns that are given, by owned index; others are empty on all ranks. Scalars are checked by rule 3.
struct BlockColumns {
  std::span<const Vertex> blocks = {}, articulation = {}, bridge = {}, block = {}, head = {};
  std::optional<Vertex> components = {}, bridges = {}, articulation_points = {}, largest = {};
};

struct BlockSamples {
  Vertex vertices = 8;  ///< by rule 4
  std::uint64_t seed = 1;
};

/// Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_biconnected_components(const Graph& graph, const BlockColumns& columns,
                                      const BlockSamples& samples = {});

}  // namespace atl
