// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <atoll/topology/network/network.hpp>
#include <atoll/transport/fabric.hpp>
#include <atoll/transport/link_cost.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Ranks in virtual time: all of them in one thread, each with a fabric like any other, and what their messages take is
/// what a model says. There are two models, of one interface:
///
///     auto clock = make_clock("levels", {.hierarchy = Hierarchy::parse("8x16"), .costs = paper_costs(2)});
///     clock->run([&](Rank rank) { use(*clock->fabric(rank)); });
///     clock->seconds();                                       // when the last rank was done
///
/// levels   an event loop over what each level of the hierarchy costs (levels.hpp); always there, the faster one
/// flows    each message is a flow over links that share their bandwidth, by SimGrid (flows_plugin.hpp)
///
/// Of both: the sender pays half of the overhead before a message leaves, the receiver the other half when it takes it.
/// Computation takes no time, or what it really took times compute_scale. A room that is free again is known to a
/// sender that goes on by itself at once, to one that sleeps after the latency.
namespace atl {

struct ClockOptions {
  Hierarchy hierarchy;
  std::vector<LinkCost> costs;  ///< [level]; at least hierarchy.depth()
  /// Its links are what flows go over, rank r at host r; null: a tree of the levels' links, made of `costs`.
  std::shared_ptr<const Network> network = {};
  Disturbance disturbance = {};  ///< levels only
  std::size_t slot_bytes = 16384;
  std::size_t message_bytes = 8192;
  int slots_per_peer = 4;    ///< in flight per ordered pair; 1 .. 64
  double compute_scale = 0;  ///< virtual seconds a second of this thread's processor time takes
};

/// As they are; throws InputError for one out of its range.
ClockOptions checked(ClockOptions options);

/// Messages that left for a level, and their bytes.
struct LevelTraffic {
  std::uint64_t bulk = 0, bulk_bytes = 0;    ///< slots
  std::uint64_t small = 0, small_bytes = 0;  ///< messages and control
};

class VirtualClock {
 public:
  virtual ~VirtualClock() = default;

  /// A rank's fabric; to be used inside run(), by that rank only. It must go before the clock does.
  virtual std::unique_ptr<Fabric> fabric(Rank rank) = 0;

  /// Calls f(rank) for each rank, on a stack of its own, and returns when all have returned; throws what the rank that
  /// failed first threw. When all ranks that are left wait and nothing is under way, each gets a TransportError that
  /// says who waits for what. Once.
  virtual void run(const std::function<void(Rank)>& f) = 0;

  /// What `rank` waits for from now on, for that report; the text must live on.
  virtual void note_wait(Rank rank, const char* operation) = 0;

  virtual double seconds() const = 0;                            ///< the latest clock
  virtual double clock(Rank rank) const = 0;                     ///< also while it runs
  virtual const TimeSpent& spent(Rank rank) const = 0;           ///< likewise
  virtual const std::vector<LevelTraffic>& traffic() const = 0;  ///< [level]
  virtual std::size_t memory_bytes() const = 0;  ///< of all messages ever under way at once, and of tables
};

/// levels or flows. Throws InputError for an option out of its range, TransportError where flows cannot be opened.
std::unique_ptr<VirtualClock> make_clock(const std::string& name, ClockOptions options);

}  // namespace atl
