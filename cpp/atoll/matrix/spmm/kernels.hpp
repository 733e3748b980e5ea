// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>
#include <atoll/base/types.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

/// The row kernels of SpMM by instruction set; for spmm.cpp alone.
namespace atl {

/// How the products a(i, j) * b(j, :) of a row's nonzeros become c(i, :).
enum class Reduce { sum, mean, max, min };

/// Rows [first, last) of C by the nonzeros of A's.
template <class T>
struct SpmmRows {
  Local first, last;
  const Edge* offsets;
  const Local* column_indices;
  const T* values;   ///< null: all are 1
  const T* factors;  ///< null, or by row: what the reduced row is multiplied with
  Edge nonzeros;     ///< of all of A: column_indices may be read up to there
  const T* b;        ///< from the first column of the kernel on
  std::ptrdiff_t b_stride;
  T* c;
  std::ptrdiff_t c_stride;
  bool accumulate;  ///< reduce with what C has
  T empty;          ///< without accumulate: what a row without nonzeros gets
};

/// A kernel for `columns` neighbouring columns.
template <class T>
using SpmmKernel = void (*)(const SpmmRows<T>& rows, std::ptrdiff_t columns);

/// Kernels by number of vectors, for one number of lanes: kernel v - 1 is for columns in (lanes * (v - 1), lanes * v],
/// and at least `lanes`. Its last vector overlaps the one before where the columns do not fill it.
template <class T>
struct SpmmLanes {
  int lanes;
  std::span<const SpmmKernel<T>> by_vectors;
};

/// The most vectors that a kernel keeps in registers.
inline constexpr int kSpmmVectors = 8;

/// From the widest lanes down to one lane. Reduce::mean is a sum with factors.
template <class T>
std::span<const SpmmLanes<T>> spmm_kernels_portable(Reduce reduce, bool weighted);
template <class T>
std::span<const SpmmLanes<T>> spmm_kernels_avx2(Reduce reduce, bool weighted);
template <class T>
std::span<const SpmmLanes<T>> spmm_kernels_avx512(Reduce reduce, bool weighted);

template <class T>
std::span<const SpmmLanes<T>> spmm_kernels(Reduce reduce, bool weighted, Isa isa);

/// out[e - offsets[first]] <- the product of row i of X with row column_indices[e] of Y, for the nonzeros e of rows i
/// in
/// [first, last).
template <class T>
struct SddmmRows {
  Local first, last;
  const Edge* offsets;
  const Local* column_indices;
  Edge nonzeros;
  const T* x;
  std::ptrdiff_t x_stride;
  const T* y;
  std::ptrdiff_t y_stride;
  std::ptrdiff_t columns;
  T* out;
};
template <class T>
using SddmmKernel = void (*)(const SddmmRows<T>& rows);
template <class T>
SddmmKernel<T> sddmm_kernel_portable();
template <class T>
SddmmKernel<T> sddmm_kernel_avx2();
template <class T>
SddmmKernel<T> sddmm_kernel_avx512();
template <class T>
SddmmKernel<T> sddmm_kernel(Isa isa);

}  // namespace atl
