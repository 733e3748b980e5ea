// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <cstdint>
#include <optional>

/// Checks closeness and harmonic centrality, and what they are made of: all vertices by necessary conditions, samples
/// by a search of their own. Never calls the algorithm.
///
///     Verdict verdict = verify_closeness(graph, {.closeness = closeness, .harmonic = harmonic});     // collective
///
///     rule 1  closeness lies in 0 .. 1, harmonic and reached in 0 .. n - 1, farness in reached .. (n - 1) reached; all
///             are 0 of a vertex that no other enters, and, from all sources, of no other vertex
///     rule 2  along an edge u -> v distances to v are at most 1 more than those to u: sources that reach u reach v or
///             are v; farness grows by at most one a source if the same ones reach both; harmonic falls to no less than
///             half, but for u and v themselves
///     rule 3  closeness is what farness and reached make it
///     rule 4  of samples, all are those of a breadth-first search against the edges
///
/// A wrong value that its neighbours allow is detected only if it is sampled. With as many samples as vertices the
/// check is complete. The samples do not depend on the number of ranks.
///
/// Cost: each edge is read once, and once for each sample.
namespace atl {

/// By owned index; an empty one is not checked.
struct ClosenessValues {
  std::span<const double> closeness = {}, harmonic = {};
  std::span<const Vertex> farness = {}, reached = {};
};

struct ClosenessTerms {
  std::optional<std::span<const Vertex>> sources = {};  ///< original ids; empty: all vertices
  Vertex samples = 8;
  std::uint64_t seed = 1;
};

/// Throws InputError, the same on all ranks, if sizes do not fit.
Verdict verify_closeness(const Graph& graph, const ClosenessValues& values, const ClosenessTerms& terms = {});

}  // namespace atl
