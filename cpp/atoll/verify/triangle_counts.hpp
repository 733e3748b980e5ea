// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <cstdint>
#include <optional>

/// Whether numbers are how many triangles each vertex is in, directions, loops and multi-edges aside: all by what must hold
/// for any, some vertices by counting. Never calls the algorithm.
///
///     Verdict verdict = verify_triangles(graph, triangles, {.samples = 32, .seed = 1});     // collective
///
///     rule 1  0 <= t(v), and 2 t(v) <= the sum over neighbours u of min(d(v), d(u)) - 1, with d the number of neighbours:
///             an edge is in at most so many triangles
///     rule 2  2 t(v) <= the sum over neighbours u of t(u): each triangle of v is one of two of its neighbours
///     rule 3  the counts sum to three times the total, which is a whole number
///     rule 4  for the samples t(v) is the number of pairs of neighbours that an edge joins
///
/// Rule 3 sees any change of one count that is not by a multiple of 3 (with the total any), not whose; changes that cancel
/// are seen where they are sampled. With as many samples as vertices all is proved. The samples are the same whatever the
/// number of ranks.
///
/// Cost: each list twice, degrees and counts told to the mirrors; for a sample its list travels to all ranks, and the lists
/// of its neighbours are looked at: a heavy vertex costs up to all edges.
namespace atl {

struct TriangleTerms {
  Vertex samples = 32;
  std::uint64_t seed = 1;
  std::optional<Vertex> total = {};  ///< triangles, each once, if that is an answer too
};

Verdict verify_triangles(const Graph& graph, std::span<const Vertex> triangles, const TriangleTerms& terms = {});

}  // namespace atl
