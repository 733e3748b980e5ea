// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/machine.hpp>
#include <atoll/transport/fabric.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Ranks in virtual time: all run in one thread, each with a Fabric, and a model says how long messages take. Two
/// models share one interface:
///
///     auto clock = make_clock("levels", {.hierarchy = Hierarchy::parse("8x16"), .costs = Cost::paper(2).levels()});
///     clock->run([&](Rank rank) { use(*clock->fabric(rank)); });
///     clock->seconds();                                       // when the last rank was done
///
/// levels an event loop over the cost of each level of the hierarchy (simulation/levels.hpp); always there, the faster
/// one flows each message is a flow over links that share their bandwidth, by SimGrid (flows_plugin.hpp)
///
/// In both, the sender pays half of the overhead before a message leaves, and the receiver the other half when it takes
/// the message. Computation takes no time, or its real time times compute_scale. A sender that keeps running learns at
/// once that a slot is free again; one that sleeps learns it after the latency.
namespace atl {

struct ClockOptions {
  Hierarchy hierarchy;
  std::vector<LevelCost> costs;  ///< [level]; at least hierarchy.depth()
  /// The network whose links the flows use; null: a tree of the levels' links, made of `costs`.
  std::shared_ptr<const Network> network = {};
  /// Rank r is at place places[r]: the host of that number in the network, and the link of that number at level 0. A
  /// permutation of all ranks; empty: rank r is at place r. `hierarchy` has ranks, not places.
  std::vector<Rank> places = {};
  NoiseModel noise = {};  ///< levels only
  std::size_t slot_bytes = 16384;
  std::size_t longest_slot_bytes = 0;  ///< of a relay's slots; 0: slot_bytes
  std::size_t message_bytes = 8192;
  int slots_per_peer = 4;    ///< in flight per ordered pair; 1 .. 64
  double compute_scale = 0;  ///< virtual seconds per second of this thread's processor time
};

/// Returns the options unchanged; throws InputError for a value out of its range.
ClockOptions checked(ClockOptions options);

/// The messages sent across a level, and their bytes.
struct LevelTraffic {
  std::uint64_t bulk = 0, bulk_bytes = 0;    ///< slots
  std::uint64_t small = 0, small_bytes = 0;  ///< messages and control
};

class VirtualClock {
 public:
  virtual ~VirtualClock() = default;

  /// A rank's fabric, for use inside run() by that rank only. Destroy it before the clock.
  virtual std::unique_ptr<Fabric> fabric(Rank rank) = 0;

  /// Calls f(rank) for each rank, on a stack of its own, and returns when all have returned. Rethrows the error of the
  /// rank that failed first. If all remaining ranks wait and no message is in flight, each gets a TransportError that
  /// says who waits for what. Call it once.
  virtual void run(const std::function<void(Rank)>& f) = 0;

  /// Notes what `rank` waits for from now on, for that report; the text must outlive the wait.
  virtual void note_wait(Rank rank, const char* operation) = 0;

  virtual double seconds() const = 0;                            ///< the latest clock
  virtual double clock(Rank rank) const = 0;                     ///< also while it runs
  virtual const TimeSpent& spent(Rank rank) const = 0;           ///< also while it runs
  virtual const std::vector<LevelTraffic>& traffic() const = 0;  ///< [level]
  virtual std::size_t memory_bytes() const = 0;  ///< the most messages ever in flight at once, and tables
};

/// The clock "levels" or "flows". Throws InputError for an option out of its range, TransportError if flows cannot be
/// opened.
std::unique_ptr<VirtualClock> make_clock(const std::string& name, ClockOptions options);

}  // namespace atl
