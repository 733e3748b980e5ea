// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/tune/space.hpp>
#include <functional>
#include <limits>
#include <vector>

/// Searches for the point with the highest rate.
///
///     const std::vector<Measured> found = grid_search(space, [&](const Point& p) { return rate_with(p); });
///     found.front().point.to_json();        // the best one
///
/// Every point is measured once, in random order. Those close to the best are measured again, in turns, so that a slow
/// moment of the machine affects all of them; medians decide.
namespace atl::tune {

struct SearchOptions {
  std::uint64_t seed = 1;  ///< of the order: if the time is limited, the measured points are spread over the space
  int rounds = 5;          ///< measurements of the finalists
  double keep = 0.9;       ///< points below this fraction of the best are dropped after each round
  int at_most = 12;        ///< the most points that are measured again
  double seconds = std::numeric_limits<double>::infinity();  ///< no measurement begins after this time
  /// Called after each measurement of the first round with the number of those done and of all.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

struct Measured {
  Point point;
  double rate = 0;            ///< the median
  std::vector<double> rates;  ///< in the order of measurement
};

/// The measured points, best first: by number of measurements, then by median. `rate` returns work per second, or 0 for
/// an impossible point. Throws InputError if no point satisfies the rules, or all rates are 0.
std::vector<Measured> grid_search(const Space& space, const std::function<double(const Point&)>& rate,
                                  const SearchOptions& options = {});

}  // namespace atl::tune
