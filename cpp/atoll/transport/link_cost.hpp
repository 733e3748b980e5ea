// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace atl {

/// The cost of a message between ranks whose level_between is this level.
struct LinkCost {
  double latency_s = 0;           ///< end to end, of an empty message
  double bytes_per_second = 1e9;  ///< level 0: of a rank's link; above: of each domain's uplink to that level
  double overhead_s = 0;          ///< processor time, sum of both ends
  /// Above level 0: the uplink and the downlink consist of this many network cards, each of bytes_per_second / cards.
  /// The first ranks of a domain use its first card, and so on. Clock `levels` only.
  int cards = 1;
};

/// Random and fixed slowdowns of the clock `levels`; the same each time for the same seed.
struct Disturbance {
  /// Each link takes longer for a message by a factor 1 + jitter * x, with x exponentially distributed of mean 1.
  double jitter = 0;
  std::uint64_t seed = 1;
  /// A link whose bytes take `factor` times as long, in both directions: on level 0 the link of a rank, above it that
  /// of a domain, as for LinkCost::bytes_per_second.
  struct Slow {
    int level = 0;
    int link = 0;
    double factor = 1;
  };
  std::vector<Slow> slow;

  bool is_none() const { return jitter == 0 && slow.empty(); }
};
/// {"jitter": 0.1, "seed": 7, "slow": [{"level": 0, "link": 3, "factor": 10}]}, all optional. Throws InputError.
Disturbance disturbance_from_json(const nlohmann::json& j);

/// Latencies 1 : 2 : 15 for three levels, as the paper gives them for Tianhe-Exa in its section 2.1 (further levels:
/// 7.5 times the one below). The base of 1 us, 12.5 GB/s per rank, 50 GB/s per domain's uplink (4 : 1 tapered at 16
/// ranks per leaf) and 0.2 us of overhead are ours.
std::vector<LinkCost> paper_costs(int depth);
/// A list of objects {latency_s, bytes_per_second, overhead_s}, from level 0. Throws InputError.
std::vector<LinkCost> costs_from_json(const nlohmann::json& list);
nlohmann::json costs_to_json(const std::vector<LinkCost>& costs);

}  // namespace atl
