// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace atl {

/// Of a message whose ranks' level_between is this level.
struct LinkCost {
  double latency_s = 0;           ///< end to end, of an empty message
  double bytes_per_second = 1e9;  ///< level 0: of a rank's link; above: of each domain's uplink through that wall
  double overhead_s = 0;          ///< processor time of both ends together
};

/// Latencies 1 : 2 : 15 of three levels, as the paper gives them for Tianhe-Exa in its section 2.1 (further levels: 7.5
/// times the one below); the base of 1 us, 12.5 GB/s a rank, 50 GB/s a wall (4 : 1 tapered at 16 ranks a leaf) and
/// 0.2 us of overhead are ours.
std::vector<LinkCost> paper_costs(int depth);
/// A list of objects {latency_s, bytes_per_second, overhead_s}, from level 0. Throws InputError.
std::vector<LinkCost> costs_from_json(const nlohmann::json& list);
nlohmann::json costs_to_json(const std::vector<LinkCost>& costs);

}  // namespace atl
