// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Decides how a record gets from one rank to another: pure arithmetic over the tree of domains, no communication.
///
///     const Route route("domain", Hierarchy::parse("2x4"));
///     Route::Hop hop = route.next(here, to, Route::Phase::up);   // until hop.rank == to
///
/// Let h be the level that the record must cross, and A and B the domains on the two sides of that boundary.
///
///   direct   one hop
///   aml      first across, to the rank of the target's leaf domain that has my index in mine, then inside: two hops,
///            as published [1], where a leaf domain is a node
///   aml-levels   the same for each level: to the rank of B with my index in A, then so one level down: at most one hop
///            per level
///   row      inside A to the rank with the index that `to` has in B, then across: two hops (TuCOMM [2], Fig. 3b)
///   domain   up: to the monitor for B of my leaf domain, then of each enclosing domain up to A; across: to B's monitor
///            for A; down: to a rank of each smaller domain around `to` ([2], section 5)
///   mst      first across, to the one rank of the target's leaf domain that gathers for it, then inside: what [2] says
///            of [3], whose reading is ours: the rank whose index is the level that the record crosses
///   mst-levels   as domain, with one monitor per domain for all targets, at every level, whatever the levels cost: the
///            other reading, gathering and scattering at each level
///
/// aml and mst are the baselines as published: they have none of the Savings.
///
/// A pair of domains may have several monitors on route domain. Each serves a block of B: "domain:leaf" has a monitor of
/// A for each leaf domain of B, "domain:rank" one for each rank of B, and "domain" one for all of B. A record enters B
/// inside its target's block, so that on domain:rank it enters at its target: on two levels, that is route row.
///
/// A record crosses level h once, and any lower level at most once on the way up and once on the way down: at most 2 L
/// - 1 hops for L levels. On the way up levels rise from hop to hop, on the way down they fall. So a forwarding rank
/// waits only for hops of a later round, and the last hop is not forwarded.
///
/// [1] The Graph500 reference code, AML.
/// [2] TuCOMM.
/// [3] X. Gan et al. "MST", ACM TACO 2024.
namespace atl {

/// Which rank of a domain is the monitor that gathers records for another domain.
enum class Monitors {
  spread,  ///< another rank for each target domain, at equal distances, so that all leaf domains have some; several for
           ///< each where an exchange has so many records that it ends sooner (RouteModel)
  one,     ///< as spread, but never several
  single,  ///< one rank for all target domains
  router,  ///< spread over one leaf domain only: the ranks under one router ([2], section 6.3)
  heavy,   ///< spread, ranks with the heaviest vertices first ([2], section 5): matters if targets are few
};
/// The Monitors of that name: spread, one, single, router or heavy. Throws InputError for any other name.
Monitors monitors_named(std::string_view name);
std::vector<std::string> monitor_names();

class Route {
 public:
  /// Where a record stands when it arrives: still on the source's side of the boundary (up) or beyond it (down).
  enum class Phase : std::uint8_t { up, down };
  struct Hop {
    Rank rank;
    Phase phase;
    bool operator==(const Hop&) const = default;
  };

  /// Throws InputError if `name` is none of all_names(). weights: [rank] weight of its heaviest vertex, for
  /// Monitors::heavy; empty: as spread.
  Route(std::string_view name, const Hierarchy& hierarchy, Monitors monitors = Monitors::spread,
        std::span<const std::int64_t> weights = {});

  static std::vector<std::string> names();
  /// These, and the forms of route domain with several monitors for a pair of domains.
  static std::vector<std::string> all_names();
  std::string_view name() const;
  /// Whether every record takes one hop; true on any route if the hierarchy has one level.
  bool is_direct() const { return kind_ == Kind::direct; }

  /// Whether each domain gathers records at a monitor for their target: few hops out of a rank, each with much traffic.
  bool gathers() const { return kind_ == Kind::domain || kind_ == Kind::mst_levels; }
  /// Whether a monitor gathers for all ranks of another domain, so that what it sends there enters at one rank.
  bool gathers_by_domain() const { return gathers() && block_level_ >= depth_ - 2; }
  /// Whether a record that has crossed a higher level may have to cross this one to its target. On the row route the
  /// target gets it.
  bool hands_on(int level) const {
    if (enters_leaves()) return level == 0;
    return kind_ == Kind::aml_levels || (gathers() && level <= block_level_);
  }
  /// Whether `rank` is among the ranks that records crossing `level` reach first. Only for routes that gather.
  bool receives_across(int level, Rank rank) const;

  /// The next hop of a record at `here` with target `to`. A record starts in phase up.
  Hop next(Rank here, Rank to, Phase phase) const;

  /// The round in which a rank may do a hop, for a record in `phase` that crosses `level` next and arrives in
  /// `arrival`: if every rank does its rounds 0, 1, ... in step, all records for that hop have come before it. The
  /// rounds of a record rise from hop to hop. rounds() is their number.
  int round_of(Phase phase, Phase arrival, int level) const;
  int rounds() const;
  /// Whether records take hops of this round that have crossed no boundary yet.
  bool begins_in(int round) const;
  /// Whether there are hops of this round.
  bool has_hops_in(int round) const {
    return !gathers() || round < depth_ || round + 1 == rounds() || hands_on(level_of(round));
  }
  /// The highest level that hops of a round cross. When the ranks of a domain of this level have done the round, none
  /// of them has to wait for ranks outside.
  int level_of(int round) const;
  /// The ranks of `rank`'s domain at `level`, in tree order. Not on the direct route.
  std::span<const Rank> domain(int level, Rank rank) const {
    const Range range = range_of(level, rank);
    return std::span(at_).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
  }

  /// The leaders form a tree over all ranks with the fewest edges across each boundary: a domain's leader is its first
  /// rank.
  Rank leader(int level, Rank rank) const { return domain(level, rank).front(); }
  /// The children of the leader of `rank`'s domain at `level`, in tree order: at level 0 the domain's other ranks,
  /// above it the leaders of its other subdomains.
  std::vector<Rank> led(int level, Rank rank) const;
  int depth() const { return depth_; }

  /// The monitor of `rank`'s domain at `level` for records to `target`'s block of the other domain at that level.
  Rank monitor(Rank rank, int level, Rank target) const;

 private:
  enum class Kind { direct, aml, aml_levels, row, mst, mst_levels, domain };
  static constexpr int kRankBlocks = -1;
  // A domain's ranks occupy positions [begin, end) of the tree order.
  struct Range {
    Rank begin, end;
    Rank size() const { return end - begin; }
  };

  // Whether a record crosses right into its target's leaf domain, by one hop.
  bool enters_leaves() const { return kind_ == Kind::aml || kind_ == Kind::mst; }
  int level_between(Rank a, Rank b) const;
  int number_of(int level, Rank rank) const { return number_[level][rank]; }
  Range range_of(int level, Rank rank) const { return ranges_[level][number_of(level, rank)]; }
  Rank member(Range range, Rank index) const { return at_[range.begin + index % range.size()]; }
  // A domain's number among the `count` domains of its level that one boundary separates.
  struct Sibling {
    int index, count;
  };
  Sibling sibling(int level, Rank rank) const;
  // The number of `rank`'s block among those that its domain at `level` consists of.
  Sibling block(int level, Rank rank) const;
  Rank candidate(int level, Rank rank, Sibling other, Sibling block) const;
  Rank position(Rank rank) const { return position_[rank]; }
  Rank gather(Rank rank, int level, int top, Rank target) const;
  Rank entry(int level, Rank source, Rank target) const;

  Kind kind_ = Kind::direct;
  Monitors monitors_;
  int depth_ = 1;
  std::vector<Rank> at_, position_;          // [position], [rank]
  std::vector<std::vector<int>> number_;     // [level][rank]: its domain at that level
  std::vector<std::vector<Range>> ranges_;   // [level][number]
  std::vector<std::vector<Rank>> heaviest_;  // a domain's ranks by falling weight; empty unless Monitors::heavy
  std::string_view name_ = "direct";
  int block_level_ = 0;  // of the domains that a monitor gathers for; kRankBlocks: for single ranks
};

}  // namespace atl
