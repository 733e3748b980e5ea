// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

/// Numbers of shortest paths, which grow by a factor with every level of a grid: more than a double has room for.
namespace atl {

/// value * kStep ^ steps. The steps are a whole number, as a double so that they travel with the value. Neighbours on
/// shortest paths mostly have equal steps, and then plain doubles are added and divided.
struct ScaledCount {
  static constexpr double kStep = 0x1p256;

  double value = 0;  ///< 0, or from 1 to kStep once it is complete (fit)
  double steps = 0;

  static double power(double steps) { return steps == 0 ? 1 : steps == -1 ? 1 / kStep : std::pow(kStep, steps); }

  /// What the value is in units of kStep ^ of.
  double in_steps(double of) const { return value * power(steps - of); }
  /// Of what is far below the other nothing is left, nor would be in a double.
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
  /// A sum of fewer than kStep complete ones is complete again.
  void fit() {
    if (value < kStep) return;
    value /= kStep;
    ++steps;
  }
};

}  // namespace atl
