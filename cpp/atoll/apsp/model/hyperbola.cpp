// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/model/hyperbola.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

double square(double x) { return x * x; }

// For fixed d, equation 7 is a weighted sum of squares in log a, so the best log a is the weighted mean over the
// points.
Hyperbola best_with(double d, std::span<const MeasuredRate> points) {
  double weights = 0, sum = 0;
  for (const MeasuredRate& p : points) {
    weights += 1 / p.x;
    sum += (std::log(p.rate) - std::log(p.x / (p.x + d))) / p.x;
  }
  return {std::exp(sum / weights), d};
}

// The minimum of a unimodal function on [low, high], by golden-section search.
template <class F>
double least(F&& f, double low, double high) {
  const double part = (std::sqrt(5.0) - 1) / 2;
  double left = high - part * (high - low), right = low + part * (high - low);
  double at_left = f(left), at_right = f(right);
  for (int i = 0; i < 80; ++i) {
    if (at_left <= at_right) {
      high = right, right = left, at_right = at_left;
      left = high - part * (high - low), at_left = f(left);
    } else {
      low = left, left = right, at_left = at_right;
      right = low + part * (high - low), at_right = f(right);
    }
  }
  return (low + high) / 2;
}

void check_points(std::span<const MeasuredRate> points) {
  for (const MeasuredRate& p : points)
    check(std::isfinite(p.x) && std::isfinite(p.rate) && p.x > 0 && p.rate > 0,
          "the point ({}, {}) of a curve (x and rate are finite and more than 0). Leave it out or measure again.", p.x,
          p.rate);
  const bool two =
      std::any_of(points.begin(), points.end(), [&](const MeasuredRate& p) { return p.x != points.front().x; });
  check(two, "a curve of {} points (two with different x are needed). Measure more sizes.", points.size());
}

}  // namespace

nlohmann::json Hyperbola::to_json() const { return {{"a", a}, {"d", d}}; }

Hyperbola Hyperbola::from_json(const nlohmann::json& j) {
  try {
    const Hyperbola h{j.at("a").get<double>(), j.at("d").get<double>()};
    check(std::isfinite(h.a) && std::isfinite(h.d) && h.a > 0 && h.d >= 0,
          "the curve a = {}, d = {} (a is more than 0, d is 0 or more). Correct it.", h.a, h.d);
    return h;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("a curve: {} (it is {{\"a\": rate, \"d\": x of half the rate}}). Correct it.", e.what()));
  }
}

double misfit(const Hyperbola& curve, std::span<const MeasuredRate> points) {
  double sum = 0;
  for (const MeasuredRate& p : points) sum += square(std::log(curve(p.x) / p.rate)) / p.x;
  return sum;
}

Hyperbola start_of_fit(std::span<const MeasuredRate> points) {
  check_points(points);
  const double a = std::max_element(points.begin(), points.end(), [](const auto& p, const auto& q) {
                     return p.rate < q.rate;
                   })->rate;
  const auto half = std::min_element(points.begin(), points.end(), [&](const auto& p, const auto& q) {
    return std::abs(p.rate - a / 2) < std::abs(q.rate - a / 2);
  });
  return {a, half->x};
}

HyperbolaFit fit_hyperbola(std::span<const MeasuredRate> points) {
  Hyperbola best = start_of_fit(points);  // checks the points
  double lowest = misfit(best, points);
  const auto consider = [&](const Hyperbola& h) {
    if (const double value = misfit(h, points); value < lowest) lowest = value, best = h;
  };
  const auto [least_x, largest_x] =
      std::minmax_element(points.begin(), points.end(), [](const auto& p, const auto& q) { return p.x < q.x; });
  // Equation 7 may have several minima in d if points are noisy: the lowest of a sweep is refined. The steps are fine
  // compared to the width of a minimum, a factor of about 2 in d.
  constexpr int kSteps = 400;
  const double low = std::log(least_x->x / 1000), high = std::log(largest_x->x * 100);
  const double step = (high - low) / kSteps;
  double nearest = low, lowest_of_sweep = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kSteps; ++i) {
    const double at = low + i * step;
    const double value = misfit(best_with(std::exp(at), points), points);
    if (value < lowest_of_sweep) lowest_of_sweep = value, nearest = at;
  }
  const double refined = least([&](double at) { return misfit(best_with(std::exp(at), points), points); },
                               std::max(low, nearest - step), std::min(high, nearest + step));
  consider(best_with(std::exp(refined), points));
  consider(best_with(0, points));

  HyperbolaFit fit{best, lowest, 1};
  for (const MeasuredRate& p : points) {
    const double ratio = best(p.x) / p.rate;
    fit.worst_ratio = std::max({fit.worst_ratio, ratio, 1 / ratio});
  }
  return fit;
}

}  // namespace atl
