// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/matrix/gemm/kernels.hpp>
#include <atoll/matrix/matrix.hpp>
#include <limits>

/// All pairs by definition, one value at a time.
namespace reference {

template <class T>
T plus(atl::Semiring s, T x, T y) {
  switch (s) {
    case atl::Semiring::min_plus:
      return std::min(x, y);
    case atl::Semiring::or_and:
      return static_cast<T>(x != T{} || y != T{} ? std::max(x, y) : T{});
    default:
      return std::max(x, y);
  }
}

template <class T>
T times(atl::Semiring s, T x, T y) {
  if (s == atl::Semiring::max_min || s == atl::Semiring::or_and) return std::min(x, y);
  if constexpr (std::is_unsigned_v<T>) {
    const unsigned sum = unsigned{x} + unsigned{y};
    return static_cast<T>(std::min<unsigned>(sum, std::numeric_limits<T>::max()));
  } else {
    return static_cast<T>(x + y);
  }
}

template <class T>
T zero(atl::Semiring s) {
  switch (s) {
    case atl::Semiring::min_plus:
      return atl::Zero<atl::Semiring::min_plus, T>;
    case atl::Semiring::max_plus:
      return atl::Zero<atl::Semiring::max_plus, T>;
    case atl::Semiring::max_min:
      return atl::Zero<atl::Semiring::max_min, T>;
    default:
      return T{};
  }
}

/// C <- C (+) A (x) B.
template <class T>
void multiply(atl::Semiring s, atl::MatrixView<const T> a, atl::MatrixView<const T> b, atl::MatrixView<T> c) {
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j)
      for (std::int64_t k = 0; k < a.cols; ++k) c(i, j) = plus(s, c(i, j), times(s, a(i, k), b(k, j)));
}

/// The three loops of Floyd-Warshall.
template <class T>
void floyd_warshall(atl::Semiring s, atl::MatrixView<T> d) {
  for (std::int64_t k = 0; k < d.rows; ++k)
    for (std::int64_t i = 0; i < d.rows; ++i)
      for (std::int64_t j = 0; j < d.cols; ++j) d(i, j) = plus(s, d(i, j), times(s, d(i, k), d(k, j)));
}

}  // namespace reference
