// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/apsp/matrix.hpp>
#include <atoll/apsp/semiring.hpp>
#include <atoll/base/parallel.hpp>

/// Semirings by definition: one value at a time, and products in three loops. What the naive algorithm is measured with,
/// and what others are held against.
///
///     simple_product<Semiring::min_plus>(team, a, b, c);     // C <- C (+) A (x) B
namespace atl {

template <Semiring S, class T>
constexpr T combined(T a, T b) {
  if constexpr (S == Semiring::min_plus) return b < a ? b : a;
  if constexpr (S == Semiring::or_and) return static_cast<T>(a | b);
  return a < b ? b : a;
}

/// a (x) b; no path stays no path, whatever is added to it.
template <Semiring S, class T>
constexpr T joined(T a, T b) {
  if constexpr (S == Semiring::max_min) return b < a ? b : a;
  if constexpr (S == Semiring::or_and) return static_cast<T>(a & b);
  if constexpr (std::is_floating_point_v<T>) return a + b;
  if (a == Zero<S, T> || b == Zero<S, T>) return Zero<S, T>;
  if constexpr (std::is_unsigned_v<T>) {
    const T sum = static_cast<T>(a + b);
    return sum < a ? std::numeric_limits<T>::max() : sum;
  }
  return a + b;
}

template <Semiring S, class T>
void simple_product(Team& team, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
  const auto rows = static_cast<std::size_t>(c.rows);
  const std::size_t grain = std::max<std::size_t>(1, rows / (4 * static_cast<std::size_t>(team.size())));
  team.for_range(rows, grain, [&](int, std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i)
      for (std::int64_t k = 0; k < a.cols; ++k) {
        const T first = a(i, k);
        if (first == Zero<S, T>) continue;
        const T* from = &b(k, 0);
        T* to = &c(i, 0);
        for (std::int64_t j = 0; j < c.cols; ++j) to[j] = combined<S>(to[j], joined<S>(first, from[j]));
      }
  });
}

/// The closure of a square matrix in place: Floyd and Warshall's three loops.
template <Semiring S, class T>
void simple_closure(MatrixView<T> d) {
  for (std::int64_t k = 0; k < d.rows; ++k)
    for (std::int64_t i = 0; i < d.rows; ++i) {
      const T first = d(i, k);
      if (first == Zero<S, T>) continue;
      for (std::int64_t j = 0; j < d.cols; ++j) d(i, j) = combined<S>(d(i, j), joined<S>(first, d(k, j)));
    }
}

}  // namespace atl
