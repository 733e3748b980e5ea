// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.cuh"
#include "sparse.hpp"

// C <- A B by rows of A, for B of one type; included by rows_<type>.cu.
//
// A group of lanes walks through the nonzeros of its task, eight at a time: their columns and values were read by the
// lanes side by side and are passed round, eight rows of B are under way, and then they are added one after the other in
// the order of the matrix, a row of C being written where it ends. So short rows cost no more than long ones, and sums
// do not depend on who does what. Pieces of long rows go to scratch memory, where join_pieces adds them in order.
namespace atl::cuda {

constexpr int kUnderWay = 8;  // nonzeros; lanes of a group are a multiple of it

template <class B>
struct RowArguments {
  const DeviceSparseTask* tasks;
  long long count, blocks;  // tasks, and blocks of a panel
  const Edge* offsets;
  const Local* places;
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

// The row of C that a group is at, and where it ends among the task's nonzeros.
template <class B, Reduce R, int V, int N>
struct RowWalk {
  const RowArguments<B>& p;
  const DeviceSparseTask task;
  const long long column, column_end;  // of the lane's first vector; of the panel
  const int length;
  Local row;
  int begin = 0, end, next_end;
  float acc[N][V];

  __device__ RowWalk(const RowArguments<B>& arguments, const DeviceSparseTask& t, long long first, long long last)
      : p(arguments),
        task(t),
        column(first),
        column_end(last),
        length(static_cast<int>(t.end - t.begin)),
        row(t.first),
        end(end_of(t.first)),
        next_end(end_of(t.first + 1)) {
    clear();
  }
  __device__ int end_of(Local i) const {
    if (i >= task.last) return -1;  // none of the task's
    return task.piece >= 0 ? length : static_cast<int>(p.offsets[i + 1] - task.begin);
  }
  __device__ long long column_of(int n) const { return column + static_cast<long long>(n) * p.lanes * V; }
  __device__ void clear() {
#pragma unroll
    for (int n = 0; n < N; ++n)
#pragma unroll
      for (int v = 0; v < V; ++v) acc[n][v] = identity<R>();
  }
  // Writes the row of C and goes on to the next one.
  __device__ void finish_row() {
    const bool piece = task.piece >= 0, accumulate = p.accumulate && !piece, empty = begin == end;
    float* const to = piece ? p.pieces + task.piece * p.columns : p.c + row * p.c_stride;
    const float factor = p.factors && !piece ? p.factors[row] : 1.0f;
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const long long at = column_of(n);
      if (at >= column_end || (empty && accumulate)) continue;
      Pack<float, V> out;
#pragma unroll
      for (int v = 0; v < V; ++v) out[v] = empty ? p.empty : acc[n][v] * factor;
      if (accumulate) {
        const auto before = load_pack<float, V>(to + at);
#pragma unroll
        for (int v = 0; v < V; ++v) out[v] = reduced<R>(before[v], out[v]);
      }
      store_pack<float, V>(to + at, out);
    }
    clear();
    begin = end;
    end = next_end;
    ++row;
    next_end = end_of(row + 1);
  }
};

template <class B, Reduce R, int V, int N>
__global__ void __launch_bounds__(kSparseThreads) reduce_rows(const RowArguments<B> p) {
  const GroupPlace place(p.lanes, p.blocks);
  DeviceSparseTask task{0, 0, 0, 0, -1};
  if (place.task < p.count) task = p.tasks[place.task];
  const long long first = place.panel * p.width, last = min(first + p.width, p.columns);
  RowWalk<B, R, V, N> walk(p, task, first + place.lane * V, last);

  // All groups of a warp take as many steps, since lanes are needed to pass values round.
  int steps = (walk.length + kUnderWay - 1) / kUnderWay;
#pragma unroll
  for (int bit = 16; bit > 0; bit /= 2) steps = max(steps, __shfl_xor_sync(~0u, steps, bit));

  Local next_place = 0, my_place = 0;
  float next_value = 0, my_value = 0;
  const auto fetch = [&](int at) {
    if (at + place.lane >= walk.length) return;
    const Edge e = task.begin + at + place.lane;
    next_place = p.places[e];
    next_value = p.values ? p.values[e] : 1.0f;
  };
  fetch(0);
  for (int step = 0; step < steps; ++step) {
    const int at = step * kUnderWay, in_group = at & (p.lanes - 1);
    if (in_group == 0) {
      my_place = next_place;
      my_value = next_value;
      fetch(at + p.lanes);
    }
    Pack<B, V> rows[kUnderWay][N];
    float values[kUnderWay];
#pragma unroll
    for (int u = 0; u < kUnderWay; ++u) {
      const Local j = __shfl_sync(~0u, my_place, place.first_lane + in_group + u);
      values[u] = __shfl_sync(~0u, my_value, place.first_lane + in_group + u);
      const B* const from = p.b + j * p.b_stride;
#pragma unroll
      for (int n = 0; n < N; ++n) {
        rows[u][n] = {};
        if (at + u < walk.length && walk.column_of(n) < last) rows[u][n] = load_pack<B, V>(from + walk.column_of(n));
      }
    }
#pragma unroll
    for (int u = 0; u < kUnderWay; ++u) {
      if (at + u >= walk.length) break;
      while (at + u == walk.end) walk.finish_row();
#pragma unroll
      for (int n = 0; n < N; ++n)
#pragma unroll
        for (int v = 0; v < V; ++v)
          walk.acc[n][v] = reduced_product<R>(walk.acc[n][v], values[u], float_of(rows[u][n][v]));
    }
  }
  while (walk.row < task.last) walk.finish_row();
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
                          .offsets = call.a.offsets,
                          .places = call.a.places,
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
