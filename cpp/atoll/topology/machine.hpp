// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/topology/cost.hpp>
#include <atoll/topology/network/network.hpp>
#include <atoll/topology/record_costs.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The model of a machine: its tree of domains, the cost of a message at each level, and its network if known. Routes,
/// partitions, the simulator and all predictions use this value.
///
///     const Machine machine = read_machine("fat-tree:16", 3);          // or a file that `info --calibrate` wrote
///     run_virtual(h, machine, plan, [](World& world) { ... });
///     owners_of(world, edges, ids, h, machine.cost, options);
namespace atl {

/// Random and fixed slowdowns in the simulator `levels`, reproducible by the seed.
struct NoiseModel {
  /// Each link takes longer for a message by a factor 1 + jitter * x, where x is exponentially distributed with mean 1.
  double jitter = 0;
  std::uint64_t seed = 1;
  /// A link whose bytes take `factor` times as long, in both directions: the link of a rank at level 0, that of a
  /// domain above, as for LevelCost::bytes_per_second.
  struct SlowLink {
    int level = 0;
    int link = 0;
    double factor = 1;
  };
  std::vector<SlowLink> slow_links;

  bool is_none() const { return jitter == 0 && slow_links.empty(); }
};

/// Rates of a rank's processor, for computations whose time is modelled: the roofline.
struct DeviceRates {
  double flops_per_second = 0;
  double memory_bytes_per_second = 0;

  double seconds(double flops, double memory_bytes) const {
    return std::max(flops / flops_per_second, memory_bytes / memory_bytes_per_second);
  }
};

struct Machine {
  Machine(Cost levels, std::shared_ptr<const Network> links = {})  // NOLINT: costs are a machine
      : cost(std::move(levels)), network(std::move(links)) {}
  Machine(std::vector<LevelCost> levels) : cost(std::move(levels)) {}  // NOLINT: likewise

  Cost cost;                               ///< by level
  std::optional<Hierarchy> hierarchy;      ///< none: that of the job
  std::shared_ptr<const Network> network;  ///< null: only the costs are known
  NoiseModel noise = {};
  std::optional<DeviceRates> device;  ///< none: simulated ranks compute in no time
  RecordCosts records = {};

  nlohmann::json to_json() const;
};

/// Parses the plan's field `platform`, which is also the option --platform:
///
///     (empty)                       Cost::paper(depth)
///     a800, a800-rails, v100        the machines of CoLa's evaluation (topology/presets.cpp)
///     frontier, commodity           nodes of eight ranks: COAST's machine, and a cluster with one card a node (there)
///     fat-tree:16, torus:4x4x4, ... a network (topology/network), with network_costs and its hierarchy
///     a JSON file {"levels": [{"latency_s": .., "bytes_per_second": .., "overhead_s": .., "cards": ..}, ..]}
///                                   costs, level 0 first, as `info --calibrate` writes them; beside them "domains" (as
///                                   "8x8x16") or "hierarchy"; "jitter", "seed" and "slow" disturb the clock levels;
///                                   "device": {"flops_per_second": .., "memory_bytes_per_second": ..};
///                                   "records": {"copied_byte_s": .., ..}, see RecordCosts
///     a JSON file {"network": "fat-tree:16", "latency_s": 2e-7, "bytes_per_second": 25e9, "overhead_s": 1e-7}
///                                   a network with these links; all but the name may lack; "records" as above
///
/// Throws InputError.
Machine read_machine(const std::string& text, int depth);

/// The machine that has this name; none: there is no such preset.
std::optional<Machine> machine_preset(std::string_view name);

/// The costs of the levels of network.hierarchy(), for a simulator without links. Estimated from four sampled domains,
/// spread over the hosts, with a message from each of their hosts to hosts outside:
///
///   latency    of level l: the mean, over pairs of hosts at that level, of the sum of latencies along the route;
///   bandwidth  of level 0: of a host's link. Of level l: the rate at which one domain of the level below can send
///              evenly to all hosts outside while all others are silent: the bandwidth of the link that saturates
///              first divided by its share of that traffic, at most the bandwidth of the links of the domain's hosts.
Cost network_costs(const Network& network, double overhead_s = 0.2e-6);

}  // namespace atl
