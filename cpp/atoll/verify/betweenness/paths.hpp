// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Whether scores are betweenness from given sources: score(v) = sum over sources s != v and targets t != v of the part
/// of the shortest paths from s to t that pass v. Never calls the algorithm.
///
///     Verdict verdict = verify_betweenness(graph, sources, scores);       // original ids; natural order; collective
///
///     rule 1  scores are finite and not negative; 0 where no path can pass: fewer than two neighbours, or no entering
///             or no leaving edge
///     rule 2  the scores sum to the sum of d(s, t) - 1 over sources s and the t != s that they reach: a path of d
///             edges passes d - 1 vertices, whatever part of the paths it is (by weight: d is the mean over the paths)
///     rule 3  up to recomputed_sources: each score is the sum of the dependencies of Brandes' theorem 6, recomputed
///             level by level from the definition, by weight in the order of distances; of more sources, no score is
///             below the sum from recomputed_sources of them
///
/// Rule 2 sees any change of one score (by more than 1e-9 of the sum) but not its vertex, nor changes that cancel; rule
/// 3 sees all beyond 1e-9 of a score. Where there are more sources than that, it sees what is taken from a score beyond
/// the share of the sources that are left out.
///
/// Cost, per source: rule 2 a breadth-first search over all edges; rule 3, where recomputed, two more looks at all
/// edges. Rounds: one per level each. By weight see WeightedDependencies.
/// U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
namespace atl {

struct BetweennessTerms {
  std::size_t recomputed_sources = 16;
  bool by_weight = false;  ///< paths are as long as the sum of their weights, else as their number of edges
};

/// InputError, the same on all ranks, if no vertex has the id of a source or the sizes do not fit; by weight if there are
/// none, or one is not finite and above 0.
Verdict verify_betweenness(const Graph& graph, std::span<const Vertex> sources, std::span<const double> score,
                           const BetweennessTerms& terms = {});

}  // namespace atl
