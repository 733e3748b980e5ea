// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/tune/space.hpp>
#include <functional>
#include <limits>
#include <vector>

/// A search for the point of the highest rate.
///
///     const std::vector<Measured> found = grid_search(space, [&](const Point& p) { return rate_with(p); });
///     found.front().point.to_json();        // the best one
///
/// Every point is measured once, in random order; those that stay near the best are measured again, in turn, so that a slow moment of the
/// machine meets all of them; medians decide.
namespace atl::tune {

struct SearchOptions {
  std::uint64_t seed = 1;  ///< of the order: where the time is short, what was measured is spread over the space
  int rounds = 5;          ///< measurements of those that are in the end compared
  double keep = 0.9;       ///< points under this share of the best are dropped after each round
  int at_most = 12;        ///< and of the others only so many are measured again
  double seconds = std::numeric_limits<double>::infinity();  ///< then no further measurement is begun
  /// Called after each measurement of the first round: how many are done, of how many.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

struct Measured {
  Point point;
  double rate = 0;            ///< the median
  std::vector<double> rates;  ///< as they were measured
};

/// The points that were measured, best first: by how often they were, then by median. `rate` returns how much is done a
/// second; 0 for a point that cannot be. Throws InputError where no point keeps all rules, or all rates are 0.
std::vector<Measured> grid_search(const Space& space, const std::function<double(const Point&)>& rate,
                                  const SearchOptions& options = {});

}  // namespace atl::tune
