// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/plugin.hpp>
#include <atoll/transport/virtual_clock.hpp>

/// The virtual clock with contention: each message is a flow between two hosts, by SimGrid [1]. A plug-in, as MPI is
/// (see plugin.hpp).
///
///     auto clock = make_flows({.hierarchy = Hierarchy::parse("8x16"), .costs = paper_costs(2)});
///     clock->run([&](Rank rank) { use(*clock->fabric(rank)); });
///
/// The model. Hosts are joined by the links of a Network, or by those of levels.hpp: a rank's link out and in, each
/// domain's uplink and downlink. Flows over a link share its bandwidth fairly (max-min), at each moment anew. A rank
/// sends one message after the other to each level, as from a queue of its network card; when the bytes have left, the
/// message arrives after the latency. So a message that meets no other takes the latency and bytes / the least of the
/// bandwidths, as on levels.
///
/// SimGrid is one engine in a process: its clocks run one at a time, from one thread, and a later one begins where the
/// simulated time of the one before ended, so that its times may differ in the last digits.
///
/// [1] H. Casanova et al. "Versatile, scalable, and accurate simulation of distributed applications and platforms."
///     Journal of Parallel and Distributed Computing 74(10), 2014.
namespace atl {

/// Throws InputError for an option out of its range, TransportError: no plug-in, one that does not load, or another
/// program's simulation in this process.
std::unique_ptr<VirtualClock> make_flows(ClockOptions options);

/// Whether the plug-in loads, with SimGrid's version.
PluginStatus flows_plugin_status();

// What the plug-in exports; checked before anything else of it is used.

struct FlowsPlugin {
  std::uint32_t abi;         ///< kPluginAbi
  std::string (*library)();  ///< "SimGrid 3.32"
  std::unique_ptr<VirtualClock> (*make)(ClockOptions options);
};
inline constexpr const char* kFlowsPluginEntry = "atoll_flows_plugin";

}  // namespace atl
