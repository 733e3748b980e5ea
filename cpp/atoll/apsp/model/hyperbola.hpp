// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

/// The hyperbolic performance model [1]: y = a x / (x + d), a rate that is small where x is small and nears a where x is
/// large; at x = d it is half of a.
///
///     const MeasuredRate points[] = {{64, 7.4e12}, {768, 14.3e12}};
///     const HyperbolaFit fit = fit_hyperbola(points);
///     fit.curve(512);          // the rate at 512
///     fit.worst_ratio;         // how far off the worst point is
///
/// Pure numbers: nothing is measured here.
///
/// [1] R. Kannan et al. Exaflop/s Biomedical Knowledge Graph Analytics (COAST). SC22, sections IV.E and IV.F.
namespace atl {

/// A rate measured at x (a block, a size in bytes); both are positive.
struct MeasuredRate {
  double x = 0, rate = 0;
};

/// Equation 6.
struct Hyperbola {
  double a = 0;  ///< the rate where x is large
  double d = 0;  ///< where half of it is reached; 0: the rate is a everywhere

  double operator()(double x) const { return a * x / (x + d); }
  bool operator==(const Hyperbola&) const = default;

  nlohmann::json to_json() const;
  /// {"a": .., "d": ..}; throws InputError unless a > 0 and d >= 0.
  static Hyperbola from_json(const nlohmann::json& j);
};

/// Equation 7: sum of (1/x) (log f/y)^2. The weight makes small x count: the asymptote is what a plain fit sees anyway.
double misfit(const Hyperbola& curve, std::span<const MeasuredRate> points);

/// Equations 8 and 9: a is the highest rate, d the x whose rate is nearest to half of it. A start.
Hyperbola start_of_fit(std::span<const MeasuredRate> points);

struct HyperbolaFit {
  Hyperbola curve;
  double misfit = 0;       ///< equation 7's value
  double worst_ratio = 1;  ///< of curve and measurement, the larger over the smaller
};

/// The curve that minimises equation 7. The paper sweeps d near its start; here all d from far under the least x to far
/// over the largest are looked at, for each the best a is known in closed form. d is at most 100 times the largest x:
/// rates that only rise in proportion to x do not say more. O(points). Throws InputError unless there are two different
/// x, and every x and rate is finite and more than 0.
HyperbolaFit fit_hyperbola(std::span<const MeasuredRate> points);

}  // namespace atl
