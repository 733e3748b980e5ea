// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>
#include <cstddef>
#include <span>

/// The tile kernels of dense products by instruction set; for products.cpp alone.
namespace atl {

/// C <- A B, or C + A B, for the `rows` rows of C: a row of A and its steps at any strides, so that A may be a
/// transpose; rows of B and C are contiguous.
template <class T>
struct DenseTile {
  std::ptrdiff_t rows, depth;
  const T* a;
  std::ptrdiff_t a_row, a_step;
  const T* b;
  std::ptrdiff_t b_stride;
  T* c;
  std::ptrdiff_t c_stride;
  bool accumulate;
};

/// A kernel for `columns` neighbouring columns.
template <class T>
using DenseKernel = void (*)(const DenseTile<T>& tile, std::ptrdiff_t columns);

/// For one number of lanes: one vector, for exactly `lanes` columns, and two, for up to 2 * lanes columns; the second
/// overlaps the first where the columns do not fill it.
template <class T>
struct DenseLanes {
  std::ptrdiff_t lanes;
  DenseKernel<T> one, two;
};

/// From the widest lanes down to one lane.
template <class T>
std::span<const DenseLanes<T>> dense_kernels_portable();
template <class T>
std::span<const DenseLanes<T>> dense_kernels_avx2();
template <class T>
std::span<const DenseLanes<T>> dense_kernels_avx512();

template <class T>
std::span<const DenseLanes<T>> dense_kernels(Isa isa);

}  // namespace atl
