// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/aggregation/route.hpp>
#include <tuple>
#include <vector>

namespace atl {

class World;

/// A rank's part of a route: its ways out, which of them a record takes, and how many ways of others end here.
class Hops {
 public:
  using Phase = Route::Phase;
  /// What all records have in common that go from this rank to the same next one, in the same round and to arrive alike.
  struct Way {
    Rank next;
    Route::Phase arrival;
    int round;  ///< Route::round_of
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
  /// Whether a rank closes each of its ways in each exchange, so that nobody has to count or to vote: where ways are few.
  bool closes_ways() const { return closes_; }

 private:
  const Route& route_;
  std::vector<Way> ways_;
  std::vector<std::uint32_t> way_to_[2];  // [phase][rank]
  std::vector<int> arriving_;             // [round]
  bool closes_ = false;
};

}  // namespace atl
