// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/aggregation/slot_rule.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <limits>
#include <string_view>
#include <vector>

/// Predicts the time of an exchange of records on each route, and so which route to take (Plan::route is "auto").
///
///     const RouteModel model(hierarchy, costs, {.bytes = slot_bytes, .per_peer = plan.slots_per_peer, .longest = 1 << 18});
///     model.best({.records = 1e6, .record_bytes = 8});       // "domain"
///
/// The model. Every pair of ranks exchanges equally many records; domains of a level have one size, their average. A
/// round of hops takes the latency of its highest level, the overhead of the messages of its busiest rank, the time of
/// its fullest link, and one latency each time that the slots to a peer are used up. Rounds follow each other, because
/// the ranks of a domain wait for each other. r records for k peers need k (1 - e^(-r/k)) messages, or as many as the
/// slots they fill; r records that merge by K keys become K (1 - e^(-r/K)) (both: balls into bins).
///
/// An exchange ends when all ranks know that no record is in flight; then the ranks agree once more on what to do next:
///   direct, aml, row   a vote that begins with the last round's sends finds them in flight and is repeated until they
///                      have arrived: V (1 + ceil(round / V)), with V the time of a vote; and V for the agreement
///   mst, domain        every hop is closed by a message of its own, so nobody votes. If the top level joins two
///                      domains, messages across it overlap with the agreement's way up the tree
namespace atl {

/// One exchange: the records that all ranks send between two drains.
struct Exchange {
  double records = 0;  ///< sum over all ranks
  std::size_t record_bytes = 8;
  /// The number of distinct merge keys among the records of one target; infinite: records do not merge.
  double keys = std::numeric_limits<double>::infinity();
};

class RouteModel {
 public:
  /// `costs` are by level, at least one for each level of the hierarchy.
  RouteModel(const Hierarchy& hierarchy, std::vector<LevelCost> costs, SlotRule slots);
  const SlotRule& slots() const { return slots_; }

  struct Estimate {
    double seconds = 0;                      ///< until the ranks have agreed on the next exchange
    double top_messages = 0, top_bytes = 0;  ///< across the highest level
  };
  /// The prediction for one of Route::names().
  Estimate estimate(std::string_view route, const Exchange& exchange) const;
  double seconds(std::string_view route, const Exchange& exchange) const { return estimate(route, exchange).seconds; }
  /// The fastest route; the first of equal ones.
  std::string_view best(const Exchange& exchange) const;
  /// The time of a vote over all ranks: up and down the tree of domains, or by direct exchange.
  double vote_seconds(bool over_tree) const;

 private:
  // The load of one round of hops over one level.
  struct Load {
    double messages = 0;    ///< of the busiest rank: the larger of sent and received
    double bytes = 0;       ///< of the busiest rank
    double mean_bytes = 0;  ///< mean over all ranks
    double trips = 0;       ///< how often a rank fills all slots to a peer
  };
  using Round = std::vector<Load>;  // [level]

  int depth() const { return static_cast<int>(ranks_.size()); }
  double ranks(int level) const { return level < 0 ? 1 : ranks_[level]; }
  /// The number of domains of the level below in one domain of this level.
  double parts(int level) const { return ranks(level) / ranks(level - 1); }
  /// The fraction of a rank's records that cross this level and no higher one.
  double share(int level) const { return (ranks(level) - ranks(level - 1)) / ranks(depth() - 1); }
  const LevelCost& cost(int level) const { return costs_[level]; }
  /// The slots of a sender on one level.
  struct Slots {
    double bytes, per_peer;
  };
  Slots direct_slots() const { return {static_cast<double>(slots_.bytes), static_cast<double>(slots_.per_peer)}; }
  Slots relay_slots(double hops, int level) const;
  /// The ranks that a rank sends to where it has one next rank for each other part of each of its domains.
  double hops_by_parts() const;
  static Load load(double peers, double records, double record_bytes, const Slots& slots);
  double seconds_of(const Round& round) const;
  double barrier_seconds(int level) const;
  double voted(double round, bool any, bool over_tree) const;
  Estimate estimate_of(const Round& top, double seconds) const {
    return {seconds, ranks(depth() - 1) * top.back().messages, ranks(depth() - 1) * top.back().mean_bytes};
  }
  Estimate direct(const Exchange& e) const;
  Estimate aml(const Exchange& e) const;
  Estimate row(const Exchange& e) const;
  Estimate gathering(const Exchange& e, bool one_monitor) const;

  std::vector<LevelCost> costs_;
  std::vector<double> ranks_;  // [level] of a domain
  SlotRule slots_;
};

}  // namespace atl
