// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/types.hpp>
#include <cmath>

/// Sums over the sources that reach a vertex, of 1, of their distances and of the distances' reciprocals.
namespace atl {

/// Whole numbers, so that the order in which sources are added does not matter: reciprocals are rounded to 63 bits
/// behind the point, which is an error of at most d / 2^64 of 1 / d.
struct DistanceSums {
  using Fixed = unsigned __int128;
  static constexpr int kFractionBits = 63;

  Vertex reached = 0, farness = 0;
  Fixed harmonic = 0;

  /// `count` sources at distance d, whose reciprocal() is given.
  void add(Vertex count, Vertex distance, std::uint64_t reciprocal) {
    reached += count;
    farness += count * distance;
    harmonic += static_cast<Fixed>(count) * reciprocal;
  }
  void add(const DistanceSums& other) {
    reached += other.reached;
    farness += other.farness;
    harmonic += other.harmonic;
  }
  double harmonic_sum() const { return std::ldexp(static_cast<double>(harmonic), -kFractionBits); }

  static std::uint64_t reciprocal(Vertex distance) {
    const auto d = static_cast<std::uint64_t>(distance);
    return ((std::uint64_t{1} << kFractionBits) + d / 2) / d;
  }
};

}  // namespace atl
