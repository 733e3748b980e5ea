// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/routes/savings.hpp>
#include <atoll/runtime/routes/slot_rule.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <atoll/topology/record_costs.hpp>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

/// Predicts the time of an exchange of records on each route, and so which route to take (Plan::route is "auto").
///
///     const RouteModel model(hierarchy, costs, {.bytes = bytes, .per_peer = plan.slots_per_peer, .longest = 1 << 18});
///     model.best({.records = 1e6, .record_bytes = 8});       // "domain"
///
/// The model. Every pair of ranks exchanges equally many records; domains of a level have one size, their average. A
/// round of hops takes the latency of its highest level, the overhead of the messages of its busiest rank, the time of
/// its fullest link, and one latency each time that the slots to a peer are used up. Rounds follow each other, because
/// the ranks of a domain wait for each other. r records for k peers need k (1 - e^(-r/k)) messages, or as many as the
/// slots they fill; r records that merge by K keys become K (1 - e^(-r/K)) (both: balls into bins). Where a level has a
/// most of messages a second, a rank's link takes at least as long for them.
///
/// The processor's time for records is added for the busiest rank of each round, one after the other: it appends its own
/// records and those that it forwards, looks each up where records merge, copies into slots all that it sends, and
/// handles what arrives.
///
/// An exchange ends when all ranks know that no record is in flight; then the ranks agree once more on what to do next:
///   direct   a vote that begins with the sends finds them in flight and is repeated until they have arrived:
///            V (1 + max(1, round / V)), with V the time of a vote; and V for the agreement
///   others   every hop is closed by a message of its own, so nobody votes, unless a rank has so many hops that barriers
///            between the rounds and a vote cost less (closing_pays); and V for the agreement, unless the same messages
///            carry it (Exchange::agrees_apart). If the top level joins two domains, one latency of it overlaps with
///            what crosses it last. aml and mst, and all without Savings::closing, have barriers and a vote
namespace atl {

/// One exchange: the records that all ranks send between two drains.
struct Exchange {
  double records = 0;  ///< sum over all ranks
  std::size_t record_bytes = 8;
  /// The number of distinct merge keys among the records of one target; infinite: records do not merge.
  double keys = std::numeric_limits<double>::infinity();
  /// Whether the ranks agree by a reduction of their own on what follows; otherwise by sums that the drain carries, on
  /// routes where that costs nothing (Mailbox::sums_travel).
  bool agrees_apart = true;
};

class RouteModel {
 public:
  /// `costs` are by level, at least one for each level of the hierarchy.
  RouteModel(const Hierarchy& hierarchy, std::vector<LevelCost> costs, SlotRule slots, Savings savings = {},
             RecordCosts records = {});
  const SlotRule& slots() const { return slots_; }

  struct Estimate {
    double seconds = 0;                      ///< until the ranks have agreed on the next exchange
    double top_messages = 0, top_bytes = 0;  ///< across the highest level
  };
  /// The routes among which each exchange may choose under Plan::route `plan_route`: on auto all but those that are as
  /// published (aml, mst), and those with several
  /// monitors for a pair of domains on auto and domain if `many_monitors`.
  static std::span<const std::string_view> choices(std::string_view plan_route, bool many_monitors = true);
  /// The prediction for one of Route::all_names().
  Estimate estimate(std::string_view route, const Exchange& exchange) const;
  double seconds(std::string_view route, const Exchange& exchange) const { return estimate(route, exchange).seconds; }
  /// The fastest of these routes; the first of equal ones.
  std::string_view best(const Exchange& exchange, std::span<const std::string_view> routes = choices("auto")) const;
  struct Choice {
    std::string_view route;
    double loss_seconds = 0;  ///< by how much the best route of one of the exchanges is faster, at most
  };
  /// The route that loses least whichever of the two exchanges comes.
  Choice best_of_both(const Exchange& a, const Exchange& b,
                      std::span<const std::string_view> routes = choices("auto")) const;
  /// Whether an exchange ends sooner if each rank closes its hops, `hops` of them at the busiest one, than if ranks wait
  /// for each other after each round but the last, and vote then. `levels`: the highest that each round crosses.
  bool closing_pays(std::span<const int> levels, double hops) const;
  /// The time of a vote over all ranks: up and down the tree of domains, or by direct exchange.
  double vote_seconds(bool over_tree) const;

 private:
  class Formulas;  // the arithmetic; in route_model.cpp, so that an edit recompiles little

  std::vector<LevelCost> costs_;
  std::vector<double> ranks_;  // [level] of a domain
  SlotRule slots_;
  Savings savings_;
  RecordCosts record_costs_;
};

}  // namespace atl
