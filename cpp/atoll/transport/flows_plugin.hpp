// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/plugin.hpp>
#include <atoll/transport/virtual_clock.hpp>

/// The virtual clock with contention: each message is a flow between two hosts, simulated by SimGrid [1]. A plug-in
/// like MPI (see plugin.hpp).
///
///     auto clock = make_flows({.hierarchy = Hierarchy::parse("8x16"), .costs = Cost::paper(2).levels()});
///     clock->run([&](Rank rank) { use(*clock->fabric(rank)); });
///
/// The model. Hosts are joined by the links of a Network, or by those of simulation/levels.hpp: one link out and one in
/// per rank, one uplink and one downlink per domain. The flows over a link share its bandwidth fairly (max-min),
/// recomputed whenever a flow starts or ends. A rank sends one message after the other to each level, like the queue of
/// a network card. When its bytes have left, a message arrives after the latency. So a message that meets no other
/// takes the latency plus bytes / the least of the bandwidths, as on levels.
///
/// SimGrid allows one engine per process. Its clocks therefore run one at a time, from one thread. A later clock begins
/// where the simulated time of the previous one ended, so its times may differ in the last digits.
///
/// [1] H. Casanova et al. "Versatile, scalable, and accurate simulation of distributed applications and platforms."
///     Journal of Parallel and Distributed Computing 74(10), 2014.
namespace atl {

/// Throws InputError for an option out of its range, and TransportError if there is no plug-in, if it does not load, or
/// if another simulation runs in this process.
std::unique_ptr<VirtualClock> make_flows(ClockOptions options);

/// Whether the plug-in loads, with SimGrid's version.
PluginStatus flows_plugin_status();

// The exports of the plug-in; `abi` is checked before anything else is used.

struct FlowsPlugin {
  std::uint32_t abi;         ///< kPluginAbi
  std::string (*library)();  ///< "SimGrid 3.32"
  std::unique_ptr<VirtualClock> (*make)(ClockOptions options);
};
inline constexpr const char* kFlowsPluginEntry = "atoll_flows_plugin";

}  // namespace atl
