// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <vector>

/// How far apart the ranks of a job are, measured pair by pair.
///
///     const LinkCosts links = measure_links(world);                        // collective; the costs are on rank 0
///     const std::vector<double> seconds = links.seconds(8192);
///     const Hierarchy h = cluster(links.latency_s, clustering_thresholds(links.latency_s));
namespace atl {

struct LinkOptions {
  Rank all_pairs_up_to = 256;  ///< so many ranks all meet each other; of more, some pairs do
  int sampled_rounds = 64;     ///< then, between nodes: each meets as many others, chosen at random
  std::uint64_t seed = 1;
};

/// On rank 0; matrices are empty on the others. Symmetric, [a * ranks + b], 0 for a rank and itself.
struct LinkCosts {
  Rank ranks = 0;
  std::vector<double> latency_s;  ///< of a message of 8 bytes, one way
  std::vector<double> byte_s;     ///< seconds for each further byte
  std::int64_t measured = 0;      ///< so many pairs were measured, the others inferred (infer_costs)
  int rounds = 0;

  /// The time of a message of `bytes` bytes for each pair.
  std::vector<double> seconds(std::size_t bytes) const;
};

/// Measures in rounds of disjoint pairs, half as many pairs as ranks at a time: a round-robin tournament. A pair's
/// latency is half of its fastest of 16 round trips; the time for a byte follows from the fastest of 3 with 64 KiB.
/// Links that several pairs of a round share are measured as such.
///
/// Of more ranks than options.all_pairs_up_to, those of a node (Fabric::node_of) all meet each other, on all nodes at
/// once, and the first one of each stands for its node. If these are still too many, consecutive ones meet, and each
/// meets options.sampled_rounds others; then one of each cluster of near ones stands for it, and these go on in the
/// same way, so that one that has met none of those near it is found to be near them.
///
/// Collective. Throws InputError for a job of one rank. If a rank dies or is silent, TransportError as for any wait.
LinkCosts measure_links(World& world, const LinkOptions& options = {});

}  // namespace atl
