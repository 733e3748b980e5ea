// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <atoll/transport/fabric.hpp>
#include <atoll/transport/link_cost.hpp>
#include <functional>
#include <vector>

/// Ranks in virtual time: an event loop over what the levels of a hierarchy cost, each rank on a fiber of one thread.
///
///     Levels levels({.hierarchy = Hierarchy::parse("8x16"), .costs = paper_costs(2)});
///     levels.run([&](Rank rank) { use(*levels.fabric(rank)); });
///     levels.seconds();                                       // when the last rank was done
///
/// The model. Every rank has a link out and one in; every domain has an uplink and a downlink to the domain around it.
/// A message at level h (level_between) occupies the links of its h walls on either side and of its two ranks. The
/// sender pays half of the overhead; the message leaves when all of its links are free, occupies each for bytes /
/// bandwidth of that link, and arrives after the latency and bytes / the least of the bandwidths; the receiver pays the
/// other half when it takes it. Latencies add up by walls [1, definition 3.2]; they are given end to end.
/// Computation takes no time, or what it really took times compute_scale. Without that, all is deterministic: events
/// are in the order of (time, number).
///
/// A room that is free again is known to a sender that goes on by itself at once, to one that sleeps after the latency.
///
/// [1] TuCOMM: Communication Hierarchy-aware Graph Engine for Distributed Model Training.
namespace atl {

struct LevelsOptions {
  Hierarchy hierarchy;
  std::vector<LinkCost> costs;  ///< [level]; at least hierarchy.depth()
  std::size_t slot_bytes = 16384;
  std::size_t message_bytes = 8192;
  int slots_per_peer = 4;    ///< in flight per ordered pair; 1 .. 64
  double compute_scale = 0;  ///< virtual seconds a second of this thread's processor time takes
};

/// Where a rank's virtual time went; the four add up to its clock. Waiting for a message counts as communication from
/// the moment on that it was sent, before that as a stall.
struct TimeSpent {
  double compute = 0;
  double intra = 0;  ///< communication inside a leaf domain
  double inter = 0;  ///< across walls
  double stall = 0;
  double seconds() const { return compute + intra + inter + stall; }
};

/// Messages that left for a level, and their bytes.
struct LevelTraffic {
  std::uint64_t bulk = 0, bulk_bytes = 0;    ///< slots
  std::uint64_t small = 0, small_bytes = 0;  ///< messages and control
};

class Levels {
 public:
  /// Throws InputError for an option out of its range.
  explicit Levels(LevelsOptions options);
  ~Levels();
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;

  /// A rank's fabric; to be used on that rank's fiber only. It must go before Levels does.
  std::unique_ptr<Fabric> fabric(Rank rank);

  /// Calls f(rank) on a fiber each and returns when all have returned; throws what the rank that failed first threw.
  /// When all ranks that are left wait and nothing is under way, each gets a TransportError that says who waits for
  /// what.
  void run(const std::function<void(Rank)>& f);

  /// What `rank` waits for from now on, for that report; the text must live on.
  void note_wait(Rank rank, const char* operation);

  double seconds() const;                            ///< the latest clock
  double clock(Rank rank) const;                     ///< also while it runs
  const TimeSpent& spent(Rank rank) const;           ///< likewise
  const std::vector<LevelTraffic>& traffic() const;  ///< [level]
  std::size_t memory_bytes() const;                  ///< of all messages ever under way at once, and of tables

  class Loop;

 private:
  std::unique_ptr<Loop> loop_;
};

}  // namespace atl
