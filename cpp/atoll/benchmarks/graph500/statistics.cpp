// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <atoll/benchmarks/graph500/statistics.hpp>
#include <cmath>

namespace atl {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

double stddev_of(std::span<const double> values, double mean) {
  if (values.size() < 2) return 0;
  double sum = 0;
  for (const double x : values) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace

Statistics Statistics::of(std::span<const double> values) {
  Statistics s;
  const std::size_t n = values.size();
  if (n == 0) return s;
  std::vector<double> x(values.begin(), values.end());
  std::sort(x.begin(), x.end());
  // Order statistics as in the reference code, which averages the two neighbours of a cut.
  s.min = x.front();
  s.first_quartile = (x[(n - 1) / 4] + x[n / 4]) / 2;
  s.median = (x[(n - 1) / 2] + x[n / 2]) / 2;
  s.third_quartile = (x[n - 1 - (n - 1) / 4] + x[n - 1 - n / 4]) / 2;
  s.max = x.back();
  s.mean = mean_of(x);
  s.stddev = stddev_of(x, s.mean);
  return s;
}

Statistics Statistics::of_rates(std::span<const double> values) {
  Statistics s = of(values);
  if (values.empty()) return s;
  std::vector<double> inverse;
  for (const double x : values) inverse.push_back(1 / x);
  const double mean = mean_of(inverse);
  s.mean = 1 / mean;
  s.stddev = values.size() < 2
                 ? 0
                 : stddev_of(inverse, mean) / (mean * mean * std::sqrt(static_cast<double>(values.size() - 1)));
  return s;
}

std::vector<double> SearchTimes::teps() const {
  std::vector<double> rates;
  for (std::size_t i = 0; i < seconds.size(); ++i) rates.push_back(edges[i] / seconds[i]);
  return rates;
}

std::string statistics_block(std::string_view kernel, const SearchTimes& searches) {
  std::string text;
  const auto line = [&](std::string_view name, std::string_view what, double value) {
    text += fmt::format("{}_{}_{}: {:.17e}\n", kernel, name, what, value);
  };
  const auto order = [&](std::string_view what, const Statistics& s) {
    line("min", what, s.min);
    line("firstquartile", what, s.first_quartile);
    line("median", what, s.median);
    line("thirdquartile", what, s.third_quartile);
    line("max", what, s.max);
  };
  const auto plain = [&](std::string_view what, const Statistics& s) {
    order(what, s);
    line("mean", what, s.mean);
    line("stddev", what, s.stddev);
  };
  plain("time", Statistics::of(searches.seconds));
  plain("nedge", Statistics::of(searches.edges));
  const Statistics teps = Statistics::of_rates(searches.teps());
  order("TEPS", teps);
  line("harmonic_mean", "TEPS", teps.mean);
  line("harmonic_stddev", "TEPS", teps.stddev);
  return text;
}

}  // namespace atl
