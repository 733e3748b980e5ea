// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

/// Pearson's test of counts against the chances that they should have.
///
///     ChiSquare test;
///     test.add(counts, chances);            // independent groups of outcomes; chances add up to 1
///     CHECK(test.is_likely());
namespace samples {

class ChiSquare {
 public:
  void add(const std::vector<double>& counts, const std::vector<double>& chances) {
    double all = 0;
    for (const double count : counts) all += count;
    double outcomes = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (chances[k] == 0) {
        impossible_ += counts[k];
        continue;
      }
      const double expected = all * chances[k];
      statistic_ += (counts[k] - expected) * (counts[k] - expected) / expected;
      ++outcomes;
    }
    freedom_ += outcomes - 1;
  }
  /// Within five standard deviations of what right chances give: a wrong alarm in two million, and seeds are fixed.
  bool is_likely() const { return impossible_ == 0 && statistic_ < freedom_ + 5 * std::sqrt(2 * freedom_ + 1); }
  double statistic() const { return statistic_; }
  double freedom() const { return freedom_; }

 private:
  double statistic_ = 0, freedom_ = 0, impossible_ = 0;
};

}  // namespace samples
