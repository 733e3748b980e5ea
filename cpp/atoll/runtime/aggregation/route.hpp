// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// How a record gets from one rank to another: pure arithmetic over the tree of domains, no network.
///
///     const Route route("domain", Hierarchy::parse("2x4"));
///     Route::Hop hop = route.next(here, to, Route::Phase::up);   // until hop.rank == to
///
/// Let h be the level that the record must cross, A and B the domains on the two sides of that wall.
///
///   direct   one hop
///   aml      across first, to the rank of B with my index in A, then the same one level down: at most one hop a
///            level (Graph500's library [1], for any number of levels)
///   row      inside A to the rank with the index that `to` has in B, then across: two hops (TuCOMM [2], Fig. 3b)
///   domain   up: to the monitor for B of my leaf, then of each domain around it up to A; across to B's monitor for A;
///            down: to a rank of each smaller domain around `to` ([2], section 5)
///   mst      the same with one monitor a domain for all targets, at every level, blind to cost (our reading of [3])
///
/// A record crosses level h once, and any lower level at most once on the way up and once on the way down: at most
/// 2 L - 1 hops for L levels. Up, levels rise from hop to hop; down, they fall: so whoever forwards waits for a hop of a
/// later kind only, and the last hop is not forwarded.
///
/// [1] The Graph500 reference code, AML.  [2] TuCOMM.  [3] X. Gan et al. "MST", ACM TACO 2024.
namespace atl {

/// Which rank of a domain gathers for another domain.
enum class Monitors {
  spread,  ///< by the target: another rank for each
  single,  ///< one for all targets
  router,  ///< spread, but over one leaf of the domain: the ranks under one router ([2], section 6.3)
  heavy,   ///< spread, those first that hold the heaviest vertices ([2], section 5): matters where targets are few
};
/// By name: spread, single, router, heavy; none of these: InputError.
Monitors monitors_named(std::string_view name);
std::vector<std::string> monitor_names();

class Route {
 public:
  /// Of the hop's arrival: whether the record still gathers on the source's side of the wall.
  enum class Phase : std::uint8_t { up, down };
  struct Hop {
    Rank rank;
    Phase phase;
    bool operator==(const Hop&) const = default;
  };

  /// Throws InputError for a name that is none of names(). weights: [rank] of its heaviest vertex, for Monitors::heavy;
  /// none: as spread.
  Route(std::string_view name, const Hierarchy& hierarchy, Monitors monitors = Monitors::spread,
        std::span<const std::int64_t> weights = {});

  static std::vector<std::string> names();
  std::string_view name() const;
  /// Whether every record goes in one hop: also on any route where there are no walls.
  bool is_direct() const { return kind_ == Kind::direct; }

  /// Whether records gather in each domain at a monitor for their target: few ways, each with much to carry.
  bool gathers() const { return kind_ == Kind::domain || kind_ == Kind::mst; }
  /// Whether records that cross `level` from anywhere come to `rank` first, to be handed out. Of routes that gather.
  bool lands(int level, Rank rank) const;

  /// Where a record at `here` that is meant for `to` goes next. A record begins in phase up.
  Hop next(Rank here, Rank to, Phase phase) const;

  /// A round of exchange in which all that is to go over a hop has come, if every rank does its rounds 0, 1, ... in step:
  /// for records that stand in `phase`, cross `level` next and arrive in `arrival`. A record's rounds rise. rounds() is how
  /// many there are.
  int round_of(Phase phase, Phase arrival, int level) const;
  int rounds() const;
  /// Which level a round's hops cross at most: when the ranks of a domain of this level have done the round, none in it
  /// has to wait for others.
  int level_of(int round) const;
  /// The ranks of `rank`'s domain at `level`, in tree order. Not on the direct route.
  std::span<const Rank> domain(int level, Rank rank) const {
    const Range range = range_of(level, rank);
    return std::span(at_).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
  }

  /// A tree over all ranks that crosses each wall as rarely as can be: the first rank of a domain leads it.
  Rank leader(int level, Rank rank) const { return domain(level, rank).front(); }
  /// Those whom the leader of `rank`'s domain at `level` hears of directly, in tree order: at level 0 its other ranks,
  /// above the leaders of its other parts.
  std::vector<Rank> led(int level, Rank rank) const;
  int depth() const { return depth_; }

  /// The rank of `rank`'s domain at `level` that gathers what goes to `target`'s domain at that level.
  Rank monitor(Rank rank, int level, Rank target) const;

 private:
  enum class Kind { direct, aml, row, mst, domain };
  // The ranks of a domain are those at positions [begin, end) of the tree.
  struct Range {
    Rank begin, end;
    Rank size() const { return end - begin; }
  };

  int level_between(Rank a, Rank b) const;
  int number_of(int level, Rank rank) const {
    return number_[static_cast<std::size_t>(level)][static_cast<std::size_t>(rank)];
  }
  Range range_of(int level, Rank rank) const {
    return ranges_[static_cast<std::size_t>(level)][static_cast<std::size_t>(number_of(level, rank))];
  }
  Rank member(Range range, Rank index) const {
    return at_[static_cast<std::size_t>(range.begin + index % range.size())];
  }
  Rank candidate(int level, Rank rank, Rank index) const;
  Rank position(Rank rank) const { return position_[static_cast<std::size_t>(rank)]; }
  Rank gather(Rank rank, int level, int top, Rank target) const;

  Kind kind_ = Kind::direct;
  Monitors monitors_;
  int depth_ = 1;
  std::vector<Rank> at_, position_;          // [position], [rank]
  std::vector<std::vector<int>> number_;     // [level][rank]: its domain at that level
  std::vector<std::vector<Range>> ranges_;   // [level][number]
  std::vector<std::vector<Rank>> heaviest_;  // [level][position]: a domain's ranks by weight; empty: not by weight
};

}  // namespace atl
