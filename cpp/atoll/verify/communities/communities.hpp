// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/communities/modularity.hpp>
#include <atoll/verify/verdict.hpp>
#include <optional>

/// Checks communities that were found by modularity. Never calls the algorithm.
///
///     Verdict verdict = verify_communities(graph, labels, {.modularity = 0.41});      // by owned index; collective
///
///     rule 1  label(v) <= v, and the vertex label(v) has its own id as label
///     rule 2  the modularity is what its formula gives for the labels, up to rounding
///     rule 3  if communities are connected: a path inside the community joins v and the vertex label(v)
///     rule 4  no two communities together have a greater modularity
///
/// By rule 1 each community is named by its smallest id. No check can say in reasonable time that no better partition
/// exists; rule 4 is what the last level of Louvain and of Leiden promises.
///
/// Cost: labels are broadcast once to mirrors, each edge is read at most four times, and sums of communities travel
/// between ranks.
namespace atl {

struct CommunitiesClaim {
  EdgeWeighting weighting = EdgeWeighting::ones;
  double resolution = 1;
  std::optional<double> modularity = {};
  bool connected = false;  ///< rule 3 holds
};

/// Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_communities(const Graph& graph, std::span<const Vertex> label, const CommunitiesClaim& claim);

}  // namespace atl
