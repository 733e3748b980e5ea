// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <cstdint>

/// Whether numbers are local clustering coefficients (LCC of the LDBC Graphalytics specification): all by what must
/// hold for any, some vertices by counting. Never calls the algorithm.
///
///     Verdict verdict = verify_clustering(graph, coefficients, {.samples = 32, .seed = 1});     // collective
///
///     rule 1  a coefficient lies in 0 .. 1; it is 0 where a vertex has fewer than two neighbours
///     rule 2  times d (d - 1), d the number of neighbours, it is a whole number, of an undirected graph an even one
///     rule 3  for the samples that is the number of edges, by direction, that join two of its neighbours
///
/// A wrong coefficient that still stands for a whole number of edges is seen only where it is sampled. With as many
/// samples as vertices all is proved. The samples are the same whatever the number of ranks.
///
/// Cost: each list once; for a sample its list travels to all ranks, and the lists of its neighbours are looked at: a
/// heavy vertex costs up to all edges.
namespace atl {

struct ClusteringTerms {
  Vertex samples = 32;
  std::uint64_t seed = 1;
};

Verdict verify_clustering(const Graph& graph, std::span<const double> coefficient, const ClusteringTerms& terms = {});

}  // namespace atl
