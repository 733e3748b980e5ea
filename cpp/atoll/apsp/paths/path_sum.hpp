// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/semiring.hpp>

namespace atl {

/// The length of two paths joined, as values of T say it: kNoPath where there is none, or where it is as great.
template <class T>
constexpr T path_sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else if constexpr (std::is_unsigned_v<T>) {
    const unsigned sum = unsigned{a} + b;
    return sum < kNoPath<T> ? static_cast<T>(sum) : kNoPath<T>;
  } else {
    // Two of them fit; but a negative one must not shorten what is no path.
    const T sum = a + b;
    const T most = a > b ? a : b;
    return most < kNoPath<T> && sum < kNoPath<T> ? sum : kNoPath<T>;
  }
}

/// What the weights of a path add up to, however long it is: exact for integers.
template <class T>
using PathLength = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

}  // namespace atl
