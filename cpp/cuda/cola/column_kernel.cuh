// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../simt/launch.hpp"
#include "cola_kernels.hpp"

// The column-wise product, for any way to get at a row of a peer's buffer; included where there is one.
namespace atl::cuda {

struct ColumnProduct {
  SparseColumns a;
  float* c;
  std::int64_t stride;
  int width;  // columns of B and C
};

constexpr int kColumnThreads = 128, kColumnsPerBlock = kColumnThreads / 32;

// A warp takes a column: it gets the row of B once and keeps 128 values of it in registers, four in a lane, for all of
// the column's nonzeros.
//
// Rows: row(column, peer, position, width) -> where the warp can read the column's row of B; all lanes call it
// together.
template <class Rows>
__global__ void __launch_bounds__(kColumnThreads) multiply_columns_from(const ColumnProduct p, const Rows rows) {
  constexpr int kHeld = 4;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kColumnsPerBlock + warp;
  if (column >= p.a.columns) return;
  const float* const row = rows.row(column, p.a.peers[column], p.a.positions[column], p.width);
  const Edge begin = p.a.offsets[column], end = p.a.offsets[column + 1];
  for (int first = lane; first < p.width; first += 32 * kHeld) {
    float held[kHeld];
#pragma unroll
    for (int i = 0; i < kHeld; ++i) held[i] = first + 32 * i < p.width ? row[first + 32 * i] : 0;
    for (Edge e = begin; e < end; ++e) {
      const float value = p.a.values[e];
      float* const to = p.c + p.a.rows[e] * p.stride + first;
#pragma unroll
      for (int i = 0; i < kHeld; ++i)
        if (first + 32 * i < p.width) atomicAdd(to + 32 * i, value * held[i]);
    }
  }
}

template <class Rows>
void launch_columns(const SparseColumns& a, const Rows& rows, DeviceView<float> c, StreamHandle stream) {
  launch(multiply_columns_from<Rows>, {.blocks = blocks_for(a.columns, kColumnsPerBlock), .threads = kColumnThreads},
         stream, ColumnProduct{a, c.data, c.stride, static_cast<int>(c.cols)}, rows);
}

}  // namespace atl::cuda
