// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <atoll/topology/machine.hpp>
#include <atoll/transport/virtual_clock.hpp>

/// Ranks in virtual time, in one thread: the code that ships is the code that is simulated.
///
///     const VirtualRun run = run_virtual(Hierarchy::parse("8x16"), Cost::paper(2), plan, [](World& world) { ... });
///     run.seconds;                                  // when the last rank was done, by the model of the clock
///
/// Computation takes no virtual time unless Plan::compute_scale says so; without, a run is the same each time. What ranks
/// do with records takes the time that Machine::records says, or, with compute_scale, is part of what they compute.
namespace atl {

struct VirtualRun {
  double seconds = 0;              ///< the latest clock
  std::vector<TimeSpent> ranks;    ///< [rank]; its clock at the end is seconds()
  std::vector<LevelCount> levels;  ///< what the event loop has carried of Worlds' packets; equal to their counters
  std::vector<LevelCount> queued;  ///< of queues' messages and control
  Counters counters;               ///< of all ranks together
  std::size_t memory_bytes = 0;    ///< of the simulation: packets and tables
  std::vector<std::string> kinds;  ///< of the levels
  /// Bytes between leaf domains, [from][to] by rows; empty in jobs of more than Counters::kRanksByPair.
  std::vector<std::uint64_t> traffic;
  /// Sums over the ranks, and all that was carried, by level.
  nlohmann::json to_json() const;
};

/// Whether the plan's transport is a virtual clock: levels or flows.
inline bool is_virtual(const Plan& plan) { return plan.transport == "levels" || plan.transport == "flows"; }

/// Calls f(World&) on a stack of its own for each rank; throws what the rank that failed first threw.
/// A rank has one thread, whatever the plan says, and the clock is levels unless the plan's transport is flows. When no
/// rank can go on, each gets a TransportError that names who waits for what.
VirtualRun run_virtual(const Hierarchy& places, const Machine& machine, const Plan& plan,
                       const std::function<void(World&)>& f, World::Options options = {});

}  // namespace atl
