// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

/// Numbers of shortest paths, which grow exponentially with the level on a grid and overflow a double.
namespace atl {

/// The number value * kStep ^ steps. `steps` is a whole number, stored as a double so that it can be exchanged with the
/// value. Neighbours on shortest paths mostly have equal steps; then plain doubles are added and divided.
struct ScaledCount {
  static constexpr double kStep = 0x1p256;

  double value = 0;  ///< 0, or in [1, kStep) after fit()
  double steps = 0;

  static double power(double steps) { return steps == 0 ? 1 : steps == -1 ? 1 / kStep : std::pow(kStep, steps); }

  /// The number in units of kStep ^ of.
  double in_steps(double of) const { return value * power(steps - of); }
  /// A summand far below the other vanishes, as it would in a double.
  void add(const ScaledCount& more) {
    if (more.steps == steps || value == 0) {
      value += more.value;
      steps = more.steps;
    } else if (more.steps < steps) {
      value += more.in_steps(steps);
    } else {
      value = in_steps(more.steps) + more.value;
      steps = more.steps;
    }
  }
  /// Normalizes a sum of fewer than kStep normalized numbers.
  void fit() {
    if (value < kStep) return;
    value /= kStep;
    ++steps;
  }
};

}  // namespace atl
