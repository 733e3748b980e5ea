// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/semiring.hpp>

namespace atl {

/// The length of two concatenated paths as a value of T; kNoPath if either is kNoPath, or if the sum reaches it.
template <class T>
constexpr T path_sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else if constexpr (std::is_unsigned_v<T>) {
    const unsigned sum = unsigned{a} + b;
    return sum < kNoPath<T> ? static_cast<T>(sum) : kNoPath<T>;
  } else {
    // The sum of two int32 lengths fits, but a negative length must not shorten "no path".
    const T sum = a + b;
    const T most = a > b ? a : b;
    return most < kNoPath<T> && sum < kNoPath<T> ? sum : kNoPath<T>;
  }
}

/// The type of a path's total weight, of any length: exact for integers.
template <class T>
using PathSum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

}  // namespace atl
