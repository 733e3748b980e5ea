// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.cuh"
#include "sparse.hpp"

// C <- A B by rows of A, for B of one type; included by rows_<type>.cu.
//
// A group of lanes does a row, or a piece of a long one. Its lanes read the columns and values of as many nonzeros as
// they are side by side, a batch ahead, and pass them round; eight rows of B are under way at a time, and are then added
// one after the other in the order of the matrix. So sums do not depend on who does what. Pieces of long rows go to
// scratch memory, where join_pieces adds them in order.
//
// Nothing but rows of B is worth a place in the caches: what is read of A, and C, passes through.
namespace atl::cuda {

constexpr int kUnderWay = 8;  // nonzeros; lanes of a group are a multiple of it
// Blocks of a multiprocessor that registers must leave room for: with 32 columns of communities:20 an H200 took 0.67 ms
// with 8, where registers are spilled, 0.66 with 7 and 0.62 with 6. Fewer were not tried.
constexpr int kRowBlocks = 6;

template <class B>
struct RowArguments {
  const DeviceSparseTask* tasks;
  long long count, blocks;  // tasks, and blocks of a panel
  const Local* column_indices;
  const float* values;
  const B* b;
  long long b_stride;
  float* c;
  long long c_stride;
  float* pieces;
  const float* factors;
  float empty;
  bool accumulate;
  int lanes;
  long long columns, width;
};

// NaN wins over all else, as on the host.
template <Reduce R>
__device__ __forceinline__ float reduced(float acc, float x) {
  if constexpr (R == Reduce::max) return acc < x || x != x ? x : acc;
  if constexpr (R == Reduce::min) return x < acc || x != x ? x : acc;
  return acc + x;
}
template <Reduce R>
__device__ __forceinline__ float reduced_product(float acc, float a, float b) {
  if constexpr (R == Reduce::sum) return fmaf(a, b, acc);
  return reduced<R>(acc, a * b);
}
template <Reduce R>
__device__ __forceinline__ float identity() {
  constexpr float kInfinity = __builtin_huge_valf();
  return R == Reduce::max ? -kInfinity : R == Reduce::min ? kInfinity : 0.0f;
}

template <class B, Reduce R, int V, int N>
__global__ void __launch_bounds__(kSparseThreads, kRowBlocks) reduce_rows(const RowArguments<B> p) {
  const GroupPlace place(p.lanes, p.blocks);
  if (place.task >= p.count) return;  // a group leaves as a whole
  const unsigned group = ~0u >> (32 - p.lanes) << place.first_lane;
  const DeviceSparseTask task = p.tasks[place.task];
  const int length = static_cast<int>(task.end - task.begin);
  const long long first = place.panel * p.width, last = min(first + p.width, p.columns);
  const auto column_of = [&](int n) { return first + (static_cast<long long>(n) * p.lanes + place.lane) * V; };
  const B* columns[N];  // of B's first row; lanes beyond the panel read its first columns, and write none
#pragma unroll
  for (int n = 0; n < N; ++n) columns[n] = p.b + (column_of(n) < last ? column_of(n) : first);

  float acc[N][V];
#pragma unroll
  for (int n = 0; n < N; ++n)
#pragma unroll
    for (int v = 0; v < V; ++v) acc[n][v] = identity<R>();

  Local next_place = 0;  // where there are no more nonzeros, row 0 is read and not added
  float next_value = 0;
  const auto fetch = [&](int at) {
    if (at >= length) return;
    next_place = load_once(p.column_indices + task.begin + at);
    next_value = p.values ? load_once(p.values + task.begin + at) : 1.0f;
  };
  fetch(place.lane);
  for (int base = 0; base < length; base += p.lanes) {
    const Local my_place = next_place;
    const float my_value = next_value;
    fetch(base + p.lanes + place.lane);
    for (int u = 0; u < p.lanes && base + u < length; u += kUnderWay) {
      Pack<B, V> rows[kUnderWay][N];
#pragma unroll
      for (int i = 0; i < kUnderWay; ++i) {
        const Local row = __shfl_sync(group, my_place, place.first_lane + u + i);
        // Beyond the task's end lanes have the place of a nonzero before, or 0: rows of B all the same.
#pragma unroll
        for (int n = 0; n < N; ++n) rows[i][n] = load_read_only<B, V>(columns[n] + row * p.b_stride);
      }
#pragma unroll
      for (int i = 0; i < kUnderWay; ++i) {
        const float value = __shfl_sync(group, my_value, place.first_lane + u + i);
        if (base + u + i >= length) continue;
#pragma unroll
        for (int n = 0; n < N; ++n)
#pragma unroll
          for (int v = 0; v < V; ++v) acc[n][v] = reduced_product<R>(acc[n][v], value, float_of(rows[i][n][v]));
      }
    }
  }

  const bool piece = task.piece >= 0, accumulate = p.accumulate && !piece, empty = length == 0;
  if (empty && accumulate) return;
  float* const to = piece ? p.pieces + task.piece * p.columns : p.c + task.first * p.c_stride;
  const float factor = p.factors && !piece ? p.factors[task.first] : 1.0f;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const long long at = column_of(n);
    if (at >= last) continue;
    Pack<float, V> out;
#pragma unroll
    for (int v = 0; v < V; ++v) out[v] = empty ? p.empty : acc[n][v] * factor;
    if (accumulate) {
      const auto before = load_pack<float, V>(to + at);
#pragma unroll
      for (int v = 0; v < V; ++v) out[v] = reduced<R>(before[v], out[v]);
    }
    store_once<V>(to + at, out);
  }
}

struct JoinArguments {
  const DeviceLongRow* rows;
  long long blocks;  // of a row
  const float* pieces;
  const float* factors;
  float* c;
  long long c_stride, columns;
  bool accumulate;
};

template <Reduce R>
__global__ void __launch_bounds__(kSparseThreads) join_pieces(const JoinArguments p) {
  const DeviceLongRow row = p.rows[blockIdx.x / p.blocks];
  const long long column = blockIdx.x % p.blocks * kSparseThreads + threadIdx.x;
  if (column >= p.columns) return;
  float acc = identity<R>();
#pragma unroll 8
  for (Local piece = row.first; piece < row.last; ++piece) acc = reduced<R>(acc, p.pieces[piece * p.columns + column]);
  if (p.factors) acc *= p.factors[row.row];
  float& to = p.c[row.row * p.c_stride + column];
  to = p.accumulate ? reduced<R>(to, acc) : acc;
}

template <class B, Reduce R>
void multiply_rows(const DeviceSpmmCall& call, StreamHandle stream) {
  constexpr int kWidest = 16 / sizeof(B);
  const int most =
      std::min(vector_of(call.b.data, sizeof(B), call.b.stride, kWidest), vector_of_result(call.c, kWidest));
  const LaneShape shape = lane_shape(call.c.cols, most);
  const RowArguments<B> p{.tasks = call.tasks.tasks,
                          .count = call.tasks.count,
                          .blocks = task_blocks(call.tasks.count, shape.lanes),
                          .column_indices = call.a.column_indices,
                          .values = call.a.values,
                          .b = static_cast<const B*>(call.b.data),
                          .b_stride = call.b.stride,
                          .c = call.c.data,
                          .c_stride = call.c.stride,
                          .pieces = call.pieces,
                          .factors = call.factors,
                          .empty = call.empty,
                          .accumulate = call.accumulate,
                          .lanes = shape.lanes,
                          .columns = call.c.cols,
                          .width = shape.width};
  with_shape<kWidest>(shape, [&](auto vector, auto vectors) {
    launch(reduce_rows<B, R, vector(), vectors()>, {.blocks = p.blocks * shape.panels, .threads = kSparseThreads},
           stream, p);
  });
  const JoinArguments join{call.tasks.long_rows, blocks_for(call.c.cols, kSparseThreads),
                           call.pieces,          call.factors,
                           call.c.data,          call.c.stride,
                           call.c.cols,          call.accumulate};
  launch(join_pieces<R>, {.blocks = call.tasks.long_count * join.blocks, .threads = kSparseThreads}, stream, join);
}

template <class B>
void multiply_any(const DeviceSpmmCall& call, StreamHandle stream) {
  switch (call.reduce) {
    case Reduce::sum:
    case Reduce::mean:
      return multiply_rows<B, Reduce::sum>(call, stream);
    case Reduce::max:
      return multiply_rows<B, Reduce::max>(call, stream);
    case Reduce::min:
      return multiply_rows<B, Reduce::min>(call, stream);
  }
}

}  // namespace atl::cuda
