// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../simt/launch.hpp"
#include "../simt/primitives.hpp"
#include "cola_kernels.hpp"

// The column-wise product, for any way to get at a row of a peer's buffer; included where there is one.
namespace atl::cuda {

struct ColumnProduct {
  SparseColumns a;
  float* c;
  std::int64_t stride;
  int width;  // columns of B and C
};

constexpr int kColumnThreads = 128;

// A warp takes a column: it gets the row of B once and keeps 128 values of it in registers, four in a lane, for all of the
// column's nonzeros.
//
// Rows: row(peer, position, width, shared) -> where the warp's lanes can read it; called by all lanes. `shared` is room
// for `width` values of the warp's own, if the kernel has been started with it.
template <class Rows>
__global__ void __launch_bounds__(kColumnThreads) multiply_columns_from(const ColumnProduct p, const Rows rows) {
  constexpr int kHeld = 4;
  ATOLL_SHARED_MEMORY(shared);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * warps + warp;
  if (column >= p.a.columns) return;
  const float* const row = rows.row(p.a.peers[column], p.a.positions[column], p.width,
                                    reinterpret_cast<float*>(shared) + static_cast<std::int64_t>(warp) * p.width);
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

}  // namespace atl::cuda
