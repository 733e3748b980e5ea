// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The statistics of the Graph500 specification over one value per search.
///
///     const Statistics time = Statistics::of(seconds);             // arithmetic mean
///     const Statistics teps = Statistics::of_rates(edges_per_second);
namespace atl {

struct Statistics {
  double min = 0, first_quartile = 0, median = 0, third_quartile = 0, max = 0;
  double mean = 0, stddev = 0;  ///< of a rate: harmonic ones

  /// Sample standard deviation (n - 1). All zero where there is no value; stddev 0 for one.
  static Statistics of(std::span<const double> values);
  /// Rates have a harmonic mean m = n / sum(1/x), and by Norris (1940) the standard deviation of that mean:
  /// s / (a^2 sqrt(n-1)), with a and s the mean and standard deviation of the 1/x.
  static Statistics of_rates(std::span<const double> values);
};

/// Seconds and edges of one kernel's searches.
struct SearchTimes {
  std::vector<double> seconds;
  std::vector<double> edges;  ///< input tuples in the component

  /// Traversed edges per second of each search.
  std::vector<double> teps() const;
};

/// The specification's lines "<kernel>_min_time: ..", 20 of them; a kernel that did not run has zeros.
std::string statistics_block(std::string_view kernel, const SearchTimes& searches);

}  // namespace atl
