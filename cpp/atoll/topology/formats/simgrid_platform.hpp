// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/network/network.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A network as a SimGrid platform, on which smpirun and any simulator of SimGrid run.
///
///     write_file("net.xml", simgrid_platform(network, *simgrid_preset("hamorder-paper")));
///     exported("simgrid", places, mapping, simgrid_host_names(network));   // its -hostfile
namespace atl {

/// Facts that SimGrid needs beside links and routes.
struct SimgridRates {
  double flops_per_second = 100e9;  ///< of a host
  double switch_latency_s = 0;      ///< of a router; each passes any number of bytes at a time
  std::optional<double> link_latency_s = {}, bytes_per_second = {};  ///< of every link; none: the network's own
};

/// The rates that a name stands for; none: there is no such preset.
///
///     hamorder-paper   the simulations of Hamorder (section IV.A): nodes of 100 GF/s, cables of 40 Gb/s without a
///                      latency of their own, switches of 60 ns and 10 Pb/s, more than all cables of one could bring
std::optional<SimgridRates> simgrid_preset(std::string_view name);

/// Networks of more hosts get no table of routes.
inline constexpr int kMostSimgridTable = 256;

/// The platform as XML, version 4.1. Links are full duplex (SPLITDUPLEX); half of a switch's latency is in each link on
/// either side of it, so that a route has that of all switches on it. Up to kMostSimgridTable hosts the file has the
/// network's own route of each pair, and what is simulated is what mapping_cost.hpp counts; it grows with hosts^2, to
/// 30 MB for a torus of 16 x 16. Above, SimGrid finds shortest paths (routing "DijkstraCache"), of equal ones those that
/// it likes, and parallel cables are one link of their bandwidths' sum. Throws InputError for rates that are none.
std::string simgrid_platform(const Network& network, const SimgridRates& rates);

/// "host-0", "host-1", ...: the names of the hosts in the platform, in the network's order.
std::vector<std::string> simgrid_host_names(const Network& network);

}  // namespace atl
