// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <atoll/transport/link_cost.hpp>
#include <limits>
#include <string_view>
#include <vector>

/// What an exchange of records takes on each route, and so which one to take (Plan::route is "auto").
///
///     const RouteModel model(hierarchy, costs, {.bytes = slot_bytes, .per_peer = plan.slots_per_peer});
///     model.best({.records = 1e6, .record_bytes = 8});       // "domain"
///
/// The model. Records go between all pairs of ranks alike; domains of a level are of one size, their average. A round of
/// hops takes the latency of its highest level, the overhead of the messages of its busiest rank, the time of its fullest
/// link, and a latency for each time that the slots to a peer are used up; rounds follow each other, as the ranks of a
/// domain wait for each other. r records for k peers are k (1 - e^(-r/k)) messages, or as many as the slots that they
/// fill; r records that merge by K keys are K (1 - e^(-r/K)) (both: balls in bins).
///
/// An exchange ends when all ranks know that nothing is under way, and the ranks agree once more on what to do next:
///   direct, aml, row   a vote that begins with the last round's sends finds them under way, and is repeated until they
///                      have arrived: V (1 + ceil(round / V)), with V of a vote; and V for the agreement
///   mst, domain        every way is closed, so a message goes on each, and nobody votes. Where the top joins two
///                      domains, messages across it and the agreement's way up the tree overlap
namespace atl {

/// One exchange: what all ranks send between two drains.
struct Exchange {
  double records = 0;  ///< of all ranks together
  std::size_t record_bytes = 8;
  /// How many records of one target differ in what they would merge by; infinite: they do not merge.
  double keys = std::numeric_limits<double>::infinity();
};

class RouteModel {
 public:
  /// What a fabric has for a message between two ranks.
  struct Slots {
    std::size_t bytes = 0;
    int per_peer = 4;
  };
  /// `costs` are by level, at least as many as the hierarchy has.
  RouteModel(const Hierarchy& hierarchy, std::vector<LinkCost> costs, Slots slots);

  struct Estimate {
    double seconds = 0;                      ///< until the ranks have agreed on what follows
    double top_messages = 0, top_bytes = 0;  ///< across the highest level
  };
  /// On one of Route::names().
  Estimate estimate(std::string_view route, const Exchange& exchange) const;
  double seconds(std::string_view route, const Exchange& exchange) const { return estimate(route, exchange).seconds; }
  /// The fastest; of equal ones the first.
  std::string_view best(const Exchange& exchange) const;
  /// A vote over all ranks: up the tree of domains and down again, or directly.
  double vote_seconds(bool over_tree) const;

 private:
  // What a rank has to do in one round of hops over one level.
  struct Load {
    double messages = 0;    ///< of the busiest rank: sent, or received if those are more
    double bytes = 0;       ///< likewise
    double mean_bytes = 0;  ///< of all ranks
    double to_a_peer = 0;   ///< messages of one rank to one other
  };
  using Round = std::vector<Load>;  // [level]

  int depth() const { return static_cast<int>(ranks_.size()); }
  double ranks(int level) const { return level < 0 ? 1 : ranks_[static_cast<std::size_t>(level)]; }
  /// Domains of the level below in one of this level.
  double parts(int level) const { return ranks(level) / ranks(level - 1); }
  /// Of a rank's records: those that cross this level and no higher one.
  double share(int level) const { return (ranks(level) - ranks(level - 1)) / ranks(depth() - 1); }
  const LinkCost& cost(int level) const { return costs_[static_cast<std::size_t>(level)]; }
  Load load(double peers, double records, double record_bytes) const;
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

  std::vector<LinkCost> costs_;
  std::vector<double> ranks_;  // [level] of a domain
  double slot_bytes_, slots_per_peer_;
};

}  // namespace atl
