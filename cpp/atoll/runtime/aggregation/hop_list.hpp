// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/runtime/routes/route.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace atl {

class World;

/// One rank's part of a route: its outgoing hops, which hop a record takes, and how many hops of other ranks end here.
class HopList {
 public:
  using Phase = Route::Phase;
  /// An outgoing hop: the records that go from this rank to the same next rank, in the same round, and arrive in the
  /// same phase.
  struct Hop {
    Rank next;
    Route::Phase arrival;
    int round;  ///< Route::round_of the hop
    int level;  ///< that it crosses
    bool operator<(const Hop& other) const {
      return std::tie(next, arrival, round) < std::tie(other.next, other.arrival, other.round);
    }
  };

  /// Collective.
  HopList(World& world, const Route& route);

  const Route& route() const { return route_; }
  const std::vector<Hop>& hops() const { return hops_; }
  /// The number of the hop of a record in `phase` that is meant for `to`.
  std::uint32_t hop_for(Phase phase, Rank to) const {
    return hop_for_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(to)];
  }
  const std::uint32_t* table(Phase phase) const { return hop_for_[static_cast<std::size_t>(phase)].data(); }
  int rounds() const { return route_.rounds(); }
  /// How many hops of other ranks end here in a round.
  int arriving(int round) const { return arriving_[static_cast<std::size_t>(round)]; }
  /// Whether each rank closes each of its hops in each exchange, so that no vote is needed: where that costs less than
  /// to wait for each other in each round (RouteModel::closing_pays), and not without Savings::closing.
  bool closed_by_counts() const { return closes_; }
  /// Whether a closing packet's sums are to be added. Two ranks of one subdomain may both send up to this rank, for
  /// different targets; each carries the whole subdomain's sum, so only the first one's is added.
  bool adds_sums(Rank from, int round, Phase arrival) const {
    return repeats_.empty() || std::find(repeats_.begin(), repeats_.end(),
                                         std::pair(from, 2 * round + static_cast<int>(arrival))) == repeats_.end();
  }

 private:
  const Route& route_;
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> hop_for_[2];  // [phase][rank]
  std::vector<int> arriving_;              // [round]
  bool closes_ = false;
  std::vector<std::pair<Rank, int>> repeats_;  // sender, 2 * round + arrival
};

}  // namespace atl
