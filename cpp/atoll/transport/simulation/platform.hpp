// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/network/network.hpp>
#include <atoll/transport/link_cost.hpp>
#include <memory>
#include <string>

/// A machine to simulate: the costs of its levels, and its network if it has one.
///
///     const Platform platform = read_platform("fat-tree:16", 3);
///     make_clock("levels", {.hierarchy = h, .costs = platform.costs, .network = platform.network});
namespace atl {

struct Platform {
  Platform(std::vector<LinkCost> levels, std::shared_ptr<const Network> links = {})  // NOLINT: costs are a platform
      : costs(std::move(levels)), network(std::move(links)) {}

  std::vector<LinkCost> costs;             ///< [level]
  std::shared_ptr<const Network> network;  ///< null: only the costs are known
  Disturbance disturbance = {};
};

/// The field `platform` of a plan:
///
///     (empty)                                                  paper_costs(depth)
///     fat-tree:16, torus:4x4x4, ...                            a network (topology/network.hpp), with network_costs
///     a JSON file {"levels": [{"latency_s": .., ..}, ..]}      costs, level 0 first; "jitter", "seed" and "slow" beside
///                                                              them disturb the clock levels (Disturbance)
///     a JSON file {"network": "fat-tree:16", "latency_s": 2e-7, "bytes_per_second": 25e9, "overhead_s": 1e-7}
///                                                              a network with these links; all but the name may lack
///
/// Throws InputError.
Platform read_platform(const std::string& text, int depth);

/// The costs of the levels of network.hierarchy(), for a clock that knows no links. Estimated from sampled domains
/// (four, spread over the hosts), with a message from each host to hosts outside:
///
///   latency    of level l: the mean, over pairs at that level, of the sum of the latencies on their route;
///   bandwidth  of level 0: of a host's link; of level l: the rate at which a domain of the level below sends out while all
///              others are silent and its traffic goes evenly to all hosts outside: the bandwidth of the link that fills
///              first divided by its share of that traffic, at most that of the links of the domain's hosts.
std::vector<LinkCost> network_costs(const Network& network, double overhead_s = 0.2e-6);

}  // namespace atl
