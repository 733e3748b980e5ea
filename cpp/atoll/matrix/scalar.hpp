// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/matrix/gemm/kernels.hpp>
#include <limits>
#include <type_traits>

namespace atl {

/// A semiring's operations on single values of T.
///
///     with_semiring<float>(algebra.semiring, [&](auto s) { d = s.plus(d, s.times(a, b)); });
template <Semiring S, class T>
struct Scalar {
  static constexpr Semiring kSemiring = S;
  static constexpr T zero() { return Zero<S, T>; }
  static constexpr T one() { return One<S, T>; }
  static constexpr T plus(T x, T y) {
    if constexpr (S == Semiring::min_plus) return y < x ? y : x;
    if constexpr (S == Semiring::max_plus || S == Semiring::max_min) return x < y ? y : x;
    if constexpr (S == Semiring::or_and) return static_cast<T>(x | y);
  }
  static constexpr T times(T x, T y) {
    if constexpr (S == Semiring::max_min) return y < x ? y : x;
    if constexpr (S == Semiring::or_and) return static_cast<T>(x & y);
    if constexpr (S == Semiring::min_plus || S == Semiring::max_plus) {
      if constexpr (std::is_unsigned_v<T>) {
        const auto sum = static_cast<T>(x + y);
        return sum < x ? std::numeric_limits<T>::max() : sum;
      } else {
        return static_cast<T>(x + y);
      }
    }
  }
  /// Whether a closed walk of weight `x` is better than the empty one; if so, no best walk exists.
  static constexpr bool is_gain(T x) { return plus(one(), x) != one(); }
};

/// Calls f(Scalar<semiring, T>{}) if the semiring is defined on T.
template <class T, class F>
void with_semiring(Semiring semiring, F&& f) {
  switch (semiring) {
    case Semiring::min_plus:
      return f(Scalar<Semiring::min_plus, T>{});
    case Semiring::max_min:
      return f(Scalar<Semiring::max_min, T>{});
    case Semiring::max_plus:
      if constexpr (std::is_signed_v<T>) return f(Scalar<Semiring::max_plus, T>{});
      break;
    case Semiring::or_and:
      if constexpr (std::is_same_v<T, std::uint8_t>) return f(Scalar<Semiring::or_and, T>{});
      break;
  }
  throw InputError(fmt::format(
      "{} over values of {} bytes is not computed (the semiring is not defined for that type). Choose another type.",
      name_of(semiring), sizeof(T)));
}

}  // namespace atl
