// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <cstdint>

/// Checks eccentricities of an undirected graph: all vertices by necessary conditions, samples by a search of their
/// own. Never calls the algorithm.
///
///     Verdict verdict = verify_eccentricity(graph, eccentricities, {.samples = 8, .seed = 1});     // collective
///
///     rule 1  an eccentricity lies in 0 .. n - 1, and is 0 exactly of a vertex without a neighbour
///     rule 2  those of two neighbours differ by at most 1
///     rule 3  of samples, it is the greatest depth of a breadth-first search
///
/// Lower and upper bounds are checked by two rules: they are at least 0, and the depth of each sample lies on their
/// right side. A wrong value that its neighbours allow is detected only if it is sampled. With as many samples as
/// vertices the check is complete. The samples do not depend on the number of ranks.
///
/// Cost: each edge is read once, and once for each sample.
namespace atl {

enum class EccentricityValues { exact, lower_bounds, upper_bounds };

struct EccentricityTerms {
  EccentricityValues values = EccentricityValues::exact;
  Vertex samples = 8;
  std::uint64_t seed = 1;
};

/// Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_eccentricity(const Graph& graph, std::span<const Vertex> eccentricity,
                            const EccentricityTerms& terms = {});

}  // namespace atl
