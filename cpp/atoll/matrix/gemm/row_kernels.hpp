// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>
#include <atoll/base/types.hpp>
#include <cstdint>
#include <span>

/// Kernels that assemble rows of distances when pendant trees are expanded (expand.cpp); each runs at the speed of the
/// cache.
namespace atl {

/// Values for some positions of a row, in the row's order: bit j of `positions` is set if position j gets one.
template <class T>
struct MaskedValues {
  const T* values;  ///< may be read up to 64 bytes beyond the last one
  const std::uint64_t* positions;
};

template <class T>
struct RowKernels {
  /// row[j] <- the next value of `some` or of `others` if its bit j is set, else kNoPath.
  void (*spread)(MaskedValues<T> some, MaskedValues<T> others, std::span<T> row);
  /// to[i] <- path_sum(from[positions[i]], lengths[i]). May read four bytes at each place.
  void (*gather)(const T* from, const Local* positions, std::span<const T> lengths, T* to);
  /// to[j] <- path_sum(length, from[j]); `to` must differ from `from`.
  void (*lengthen)(T length, std::span<const T> from, T* to);
};

template <class T>
RowKernels<T> row_kernels(Isa isa);
template <class T>
RowKernels<T> row_kernels_portable();  // row_kernels.cpp
template <class T>
RowKernels<T> row_kernels_avx512();  // row_kernels_avx512.cpp

}  // namespace atl
