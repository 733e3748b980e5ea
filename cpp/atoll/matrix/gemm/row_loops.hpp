// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/row_kernels.hpp>
#include <atoll/matrix/semiring.hpp>

/// Loops of row_kernels.hpp that compilers vectorize, for the files of each instruction set. All of it is static, so
/// that the linker cannot merge code compiled for different processors.
namespace atl {

// path_sum(): of signed values without a wider type, of unsigned ones without wider intermediate values.
template <class T>
static T sum_of_lengths(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else if constexpr (std::is_unsigned_v<T>) {
    const T room = static_cast<T>(kNoPath<T> - a);
    return static_cast<T>((b < room ? b : room) + a);
  } else {
    const T sum = a + b, most = a > b ? a : b;
    return most < kNoPath<T> && sum < kNoPath<T> ? sum : kNoPath<T>;
  }
}

template <class T>
static void gather_loop(const T* from, const Local* positions, std::span<const T> lengths, T* __restrict to) {
  const T* const length = lengths.data();
  const std::size_t n = lengths.size();
  for (std::size_t i = 0; i < n; ++i) to[i] = sum_of_lengths(length[i], from[positions[i]]);
}

template <class T>
static void lengthen_loop(T length, std::span<const T> from, T* __restrict to) {
  const T* const values = from.data();
  const std::size_t n = from.size();
  for (std::size_t j = 0; j < n; ++j) to[j] = sum_of_lengths(length, values[j]);
}

}  // namespace atl
