// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <cstdint>
#include <optional>

/// Checks the number of triangles at each vertex, ignoring directions, loops and multi-edges: all vertices by necessary
/// conditions, samples by counting. Never calls the algorithm.
///
///     Verdict verdict = verify_triangles(graph, triangles, {.samples = 32, .seed = 1});     // collective
///
///     rule 1  0 <= t(v), and 2 t(v) <= the sum over neighbours u of min(d(v), d(u)) - 1, where d is the number of
///             neighbours: the maximum number of triangles on an edge
///     rule 2  2 t(v) <= the sum over neighbours u of t(u): each triangle of v also counts for two of its neighbours
///     rule 3  the counts sum to three times the total, which is a whole number
///     rule 4  for samples, t(v) is the number of pairs of neighbours joined by an edge
///
/// Rule 3 detects a change of one count unless it is a multiple of 3 (given the total, any change), but not at which
/// vertex; changes that cancel are detected only at samples. With as many samples as vertices the check is complete.
/// The samples do not depend on the number of ranks.
///
/// Cost: each list is read twice, degrees and counts are broadcast to the mirrors. The list of a sample travels to all
/// ranks, and the lists of its neighbours are read: up to all edges for a vertex of high degree.
namespace atl {

struct TriangleTerms {
  Vertex samples = 32;
  std::uint64_t seed = 1;
  std::optional<Vertex> total = {};  ///< number of triangles, to be checked too if given
};

Verdict verify_triangles(const Graph& graph, std::span<const Vertex> triangles, const TriangleTerms& terms = {});

}  // namespace atl
