// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/gnn/dense/kernels.hpp>
#include <atoll/matrix/spmm/loops.hpp>

/// The text of the tile kernels, in the vectors of the row kernels of SpMM; each kernels_<isa>.cpp includes it with
/// internal linkage and its own widest vector.
namespace atl {
namespace {

// Rows that share a loaded vector of B: with two vectors each, eight sums hide the latency of multiply-add, and sums,
// B and a value of A fit the sixteen registers of AVX2.
constexpr std::ptrdiff_t kTileRows = 4;

template <class T, int kLanes, int kVectors, std::ptrdiff_t kRows>
void multiply_rows(const DenseTile<T>& tile, std::ptrdiff_t first, std::ptrdiff_t columns) {
  using L = Lanes<T, kLanes>;
  using V = typename L::Vector;
  auto at = [&](int v) { return v < kVectors - 1 ? v * std::ptrdiff_t{kLanes} : columns - kLanes; };
  const T* const a = tile.a + first * tile.a_row;
  T* const c = tile.c + first * tile.c_stride;
  V acc[kRows][kVectors];
  for (std::ptrdiff_t r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) acc[r][v] = tile.accumulate ? L::load(c + r * tile.c_stride + at(v)) : V{};
  for (std::ptrdiff_t k = 0; k < tile.depth; ++k) {
    V b[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) b[v] = L::load(tile.b + k * tile.b_stride + at(v));
#pragma GCC unroll 4
    for (std::ptrdiff_t r = 0; r < kRows; ++r) {
      const T x = a[r * tile.a_row + k * tile.a_step];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) acc[r][v] += b[v] * x;
    }
  }
  for (std::ptrdiff_t r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) L::store(c + r * tile.c_stride + at(v), acc[r][v]);
}

template <class T, int kLanes, int kVectors>
void multiply_tile(const DenseTile<T>& tile, std::ptrdiff_t columns) {
  std::ptrdiff_t i = 0;
  for (; i + kTileRows <= tile.rows; i += kTileRows) multiply_rows<T, kLanes, kVectors, kTileRows>(tile, i, columns);
  for (; i < tile.rows; ++i) multiply_rows<T, kLanes, kVectors, 1>(tile, i, columns);
}

template <class T, int kLanes, class... More>
constexpr auto dense_lanes_from(More... more) {
  const DenseLanes<T> here{kLanes, &multiply_tile<T, kLanes, 1>, &multiply_tile<T, kLanes, 2>};
  if constexpr (kLanes == 1) {
    return std::array<DenseLanes<T>, sizeof...(More) + 1>{more..., here};
  } else {
    return dense_lanes_from<T, kLanes / 2>(more..., here);
  }
}
template <class T, int kWidest>
constexpr auto kDenseLanes = dense_lanes_from<T, kWidest>();

}  // namespace
}  // namespace atl
