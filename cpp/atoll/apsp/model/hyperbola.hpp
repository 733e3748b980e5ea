// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

/// The hyperbolic performance model [1]: y = a x / (x + d), a rate that grows with x towards a; at x = d it is half of
/// a.
///
///     const MeasuredRate points[] = {{64, 7.4e12}, {768, 14.3e12}};
///     const HyperbolaFit fit = fit_hyperbola(points);
///     fit.curve(512);          // the rate at 512
///     fit.worst_ratio;         // error of the worst point
///
/// Arithmetic only: nothing is measured here.
///
/// [1] R. Kannan et al. Exaflop/s Biomedical Knowledge Graph Analytics (COAST). SC22, sections IV.E and IV.F.
namespace atl {

/// A rate measured at x (a block, a size in bytes); both are positive.
struct MeasuredRate {
  double x = 0, rate = 0;
};

/// Equation 6.
struct Hyperbola {
  double a = 0;  ///< the asymptotic rate
  double d = 0;  ///< the x at which half of it is reached; 0: the rate is a everywhere

  double operator()(double x) const { return a * x / (x + d); }
  bool operator==(const Hyperbola&) const = default;

  nlohmann::json to_json() const;
  /// {"a": .., "d": ..}; throws InputError unless a > 0 and d >= 0.
  static Hyperbola from_json(const nlohmann::json& j);
};

/// Equation 7: sum of (1/x) (log f/y)^2. The weight emphasises small x: any fit approximates the asymptote well.
double misfit(const Hyperbola& curve, std::span<const MeasuredRate> points);

/// Equations 8 and 9: a is the highest rate, d the x whose rate is nearest to half of it. The starting point of the
/// fit.
Hyperbola start_of_fit(std::span<const MeasuredRate> points);

struct HyperbolaFit {
  Hyperbola curve;
  double misfit = 0;       ///< equation 7's value
  double worst_ratio = 1;  ///< of curve and measurement, the larger over the smaller
};

/// The curve that minimises equation 7. The paper sweeps d near its starting point; here d ranges from far below the
/// smallest x to far above the largest, each with the best a in closed form. d is at most 100 times the largest x:
/// rates that only grow in proportion to x do not determine more. O(points). Throws InputError unless there are two
/// different x, and every x and rate is finite and positive.
HyperbolaFit fit_hyperbola(std::span<const MeasuredRate> points);

}  // namespace atl
