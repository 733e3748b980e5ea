// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <cstdint>

/// Checks local clustering coefficients (LCC of the LDBC Graphalytics specification): all vertices by necessary
/// conditions, samples by counting. Never calls the algorithm.
///
///     Verdict verdict = verify_clustering(graph, coefficients, {.samples = 32, .seed = 1});     // collective
///
///     rule 1  a coefficient lies in 0 .. 1, and is 0 for a vertex with fewer than two neighbours
///     rule 2  times d (d - 1), where d is the number of neighbours, it is a whole number, and even if undirected
///     rule 3  for samples, that is the number of directed edges between two of its neighbours
///
/// A wrong coefficient that still corresponds to a whole number of edges is detected only if it is sampled. With as
/// many samples as vertices the check is complete. The samples do not depend on the number of ranks.
///
/// Cost: each list is read once. The list of a sample travels to all ranks, and the lists of its neighbours are read:
/// up to all edges for a vertex of high degree.
namespace atl {

struct ClusteringTerms {
  Vertex samples = 32;
  std::uint64_t seed = 1;
};

Verdict verify_clustering(const Graph& graph, std::span<const double> coefficient, const ClusteringTerms& terms = {});

}  // namespace atl
