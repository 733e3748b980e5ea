// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/aggregation/route.hpp>
#include <tuple>
#include <vector>

namespace atl {

class World;

/// One rank's part of a route: its outgoing ways, which way a record takes, and how many ways of other ranks end here.
class Hops {
 public:
  using Phase = Route::Phase;
  /// An outgoing way: the records that go from this rank to the same next rank, in the same round, and arrive in the
  /// same phase.
  struct Way {
    Rank next;
    Route::Phase arrival;
    int round;  ///< Route::round_of the hop
    bool operator<(const Way& other) const {
      return std::tie(next, arrival, round) < std::tie(other.next, other.arrival, other.round);
    }
  };

  /// Collective.
  Hops(World& world, const Route& route);

  const Route& route() const { return route_; }
  const std::vector<Way>& ways() const { return ways_; }
  /// The number of the way of a record in `phase` that is meant for `to`.
  std::uint32_t way_to(Phase phase, Rank to) const {
    return way_to_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(to)];
  }
  const std::uint32_t* table(Phase phase) const { return way_to_[static_cast<std::size_t>(phase)].data(); }
  int rounds() const { return route_.rounds(); }
  /// How many ways of other ranks end here in a round.
  int arriving(int round) const { return arriving_[static_cast<std::size_t>(round)]; }
  /// Whether each rank closes each of its ways in each exchange, so that no vote is needed. True for routes with few
  /// ways.
  bool closes_ways() const { return closes_; }

 private:
  const Route& route_;
  std::vector<Way> ways_;
  std::vector<std::uint32_t> way_to_[2];  // [phase][rank]
  std::vector<int> arriving_;             // [round]
  bool closes_ = false;
};

}  // namespace atl
