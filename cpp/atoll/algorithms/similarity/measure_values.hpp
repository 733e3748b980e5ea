// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/similarity/measure.hpp>
#include <atoll/base/types.hpp>
#include <cmath>
#include <type_traits>

/// The arithmetic of the measures, inline as loops over all pairs need it.
namespace atl {

/// Returns whether common neighbours count by how many vertices have them.
constexpr bool is_weighted(Similarity measure) {
  return measure == Similarity::adamic_adar || measure == Similarity::resource_allocation;
}

/// Returns what a common neighbour that `followers` vertices have adds to a measure that is_weighted(); infinity for
/// adamic_adar of 1 follower, which only a vertex and itself can share.
inline double contribution(Similarity measure, Edge followers) {
  const auto count = static_cast<double>(followers);
  return 1 / (measure == Similarity::adamic_adar ? std::log(count) : count);
}

/// Returns the measure of two vertices with so many neighbours each; `shared`: how many are common or, if it
/// is_weighted(), the sum of their contributions.
inline double similarity_of(Similarity measure, double shared, Edge neighbours_of_u, Edge neighbours_of_v) {
  const auto du = static_cast<double>(neighbours_of_u), dv = static_cast<double>(neighbours_of_v);
  const auto quotient = [shared](double divisor) { return divisor > 0 ? shared / divisor : 0; };
  switch (measure) {
    case Similarity::jaccard:
      return quotient(du + dv - shared);
    case Similarity::overlap:
      return quotient(std::min(du, dv));
    case Similarity::cosine:
      return quotient(std::sqrt(du * dv));
    case Similarity::preferential_attachment:
      return du * dv;
    case Similarity::common_neighbors:
    case Similarity::adamic_adar:
    case Similarity::resource_allocation:
      break;
  }
  return shared;
}

/// Room for rounding in bounds on a measure.
inline constexpr double kRounding = 1 - 0x1p-40;

/// Returns a bound below what a pair of a vertex with so many neighbours must share to reach `value`; 0 if the measure
/// has none. (A pair shares at most all neighbours of the other vertex.)
inline double least_shared(Similarity measure, double value, Edge neighbours_of_u) {
  const auto du = static_cast<double>(neighbours_of_u);
  switch (measure) {
    case Similarity::jaccard:
      return value * du * kRounding;
    case Similarity::cosine:
      return value * value * du * kRounding;
    case Similarity::common_neighbors:
    case Similarity::adamic_adar:
    case Similarity::resource_allocation:
      return value * kRounding;
    case Similarity::overlap:
    case Similarity::preferential_attachment:
      break;
  }
  return 0;
}

/// Calls f(constant) with the measure as a constant of the compiler's.
template <class F>
void with_measure(Similarity measure, F&& f) {
  using enum Similarity;
  switch (measure) {
    case common_neighbors:
      return f(std::integral_constant<Similarity, common_neighbors>());
    case jaccard:
      return f(std::integral_constant<Similarity, jaccard>());
    case overlap:
      return f(std::integral_constant<Similarity, overlap>());
    case cosine:
      return f(std::integral_constant<Similarity, cosine>());
    case adamic_adar:
      return f(std::integral_constant<Similarity, adamic_adar>());
    case resource_allocation:
      return f(std::integral_constant<Similarity, resource_allocation>());
    case preferential_attachment:
      return f(std::integral_constant<Similarity, preferential_attachment>());
  }
}

}  // namespace atl
