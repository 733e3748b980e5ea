// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks that scores are the betweenness from given sources: score(v) = sum over sources s != v and targets t != v of
/// the fraction of shortest paths from s to t that pass through v. Never calls the algorithm.
///
///     Verdict verdict = verify_betweenness(graph, sources, scores);       // original ids; by owned index; collective
///
///     rule 1  scores are finite and not negative; 0 where no path can pass: fewer than two neighbours, or no entering
///             or no leaving edge
///     rule 2  the scores sum to the sum of d(s, t) - 1 over sources s and the reached t != s: a path of d edges has
///             d - 1 inner vertices, also in the mean over all shortest paths (by weight: d is the mean over the paths)
///     rule 3  with up to recomputed_sources sources: each score is the sum of the dependencies of Brandes' theorem 6,
///             recomputed from the definition level by level, or by weight in the order of distances; with more
///             sources: no score is below the sum over recomputed_sources of them
///
/// Rule 2 detects any change of one score by more than 1e-9 of the sum, but not at which vertex, and no changes that
/// cancel. Rule 3 detects every change beyond 1e-9 of a score. If only some sources are recomputed, it detects a score
/// that is too small by more than the contribution of the others.
///
/// Cost per source: for rule 2 a breadth-first search over all edges; for rule 3, where recomputed, two more passes
/// over all edges. One round per level each. For weights see WeightedDependencies.
/// U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
namespace atl {

struct BetweennessTerms {
  std::size_t recomputed_sources = 16;
  bool by_weight = false;  ///< path length is the sum of weights, else the number of edges
};

/// Throws InputError, the same on all ranks, if no vertex has the id of a source, or if sizes do not fit; by weight
/// also if there are no weights, or one is not finite and positive.
Verdict verify_betweenness(const Graph& graph, std::span<const Vertex> sources, std::span<const double> score,
                           const BetweennessTerms& terms = {});

}  // namespace atl
