// SPDX-License-Identifier: Apache-2.0
#include "lanes.cuh"
#include "sparse.hpp"

// C += A B by columns of A: a group of lanes keeps a row of B in registers and adds its products to the rows of C that
// the column's nonzeros name.
namespace atl::cuda {
namespace {

constexpr int kColumnsUnderWay = 4;  // rows of B that a group waits for at a time: a peer's memory is microseconds away

template <class B>
struct ColumnArguments {
  const DeviceSparseTask* tasks;
  long long count, blocks;  // tasks, and blocks of a panel
  const Edge* offsets;
  const Local* column_indices;
  const float* values;
  const void* const* tables;
  const std::int32_t* owners;
  const Local* positions;
  long long b_stride;
  const float* factors;
  float* c;
  long long c_stride;
  int lanes;
  long long columns, width;
};

template <class B, int V, int N>
__global__ void __launch_bounds__(kSparseThreads) add_products(const ColumnArguments<B> p) {
  const GroupPlace place(p.lanes, p.blocks);
  if (place.task >= p.count) return;
  const DeviceSparseTask task = p.tasks[place.task];
  const long long first = place.panel * p.width, last = min(first + p.width, p.columns);
  const auto column_of = [&](int n) { return first + (static_cast<long long>(n) * p.lanes + place.lane) * V; };
  for (Local q = task.first; q < task.last; q += kColumnsUnderWay) {
    Pack<B, V> rows[kColumnsUnderWay][N];
    Edge begin[kColumnsUnderWay], end[kColumnsUnderWay];
#pragma unroll
    for (int u = 0; u < kColumnsUnderWay; ++u) {
      begin[u] = end[u] = 0;
      if (q + u < task.last) {
        begin[u] = task.piece >= 0 ? task.begin : p.offsets[q + u];
        end[u] = task.piece >= 0 ? task.end : p.offsets[q + u + 1];
      }
      const bool any = begin[u] < end[u];
      const B* const from =
          any ? static_cast<const B*>(p.tables[p.owners[q + u]]) + p.positions[q + u] * p.b_stride : nullptr;
#pragma unroll
      for (int n = 0; n < N; ++n) {
        rows[u][n] = {};
        if (any && column_of(n) < last) rows[u][n] = load_pack<B, V>(from + column_of(n));
      }
    }
#pragma unroll
    for (int u = 0; u < kColumnsUnderWay; ++u) {
#pragma unroll 4
      for (Edge e = begin[u]; e < end[u]; ++e) {
        const Local i = p.column_indices[e];
        float value = p.values ? p.values[e] : 1.0f;
        if (p.factors) value *= p.factors[i];
        float* const to = p.c + i * p.c_stride;
#pragma unroll
        for (int n = 0; n < N; ++n) {
          Pack<float, V> product;
#pragma unroll
          for (int v = 0; v < V; ++v) product[v] = value * float_of(rows[u][n][v]);
          if (column_of(n) < last) add_atomically<V>(to + column_of(n), product);
        }
      }
    }
  }
}

template <class B>
void add_columns_of(const DeviceColumnsCall& call, int architecture, StreamHandle stream) {
  constexpr int kWidest = 16 / sizeof(B);
  int most = 1;
  // Single atomic additions, before sm_90, are of neighbouring columns in neighbouring lanes.
  if (architecture >= 90) {
    most = std::min(vector_of(nullptr, sizeof(B), call.b_stride, kWidest), vector_of_result(call.c, kWidest));
    while (most > 1 && call.alignment % (sizeof(B) * static_cast<std::size_t>(most)) != 0) most /= 2;
  }
  const LaneShape shape = lane_shape(call.c.cols, most);
  const ColumnArguments<B> p{.tasks = call.tasks.tasks,
                             .count = call.tasks.count,
                             .blocks = task_blocks(call.tasks.count, shape.lanes),
                             .offsets = call.a.offsets,
                             .column_indices = call.a.column_indices,
                             .values = call.a.values,
                             .tables = call.tables,
                             .owners = call.owners,
                             .positions = call.positions,
                             .b_stride = call.b_stride,
                             .factors = call.factors,
                             .c = call.c.data,
                             .c_stride = call.c.stride,
                             .lanes = shape.lanes,
                             .columns = call.c.cols,
                             .width = shape.width};
  with_shape<kWidest>(shape, [&](auto vector, auto vectors) {
    launch(add_products<B, vector(), vectors()>, {.blocks = p.blocks * shape.panels, .threads = kSparseThreads}, stream,
           p);
  });
}

}  // namespace

void add_columns(const DeviceColumnsCall& call, int architecture, StreamHandle stream) {
  call.half ? add_columns_of<std::uint16_t>(call, architecture, stream)
            : add_columns_of<float>(call, architecture, stream);
}

}  // namespace atl::cuda
