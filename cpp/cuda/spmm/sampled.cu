// SPDX-License-Identifier: Apache-2.0
#include "lanes.cuh"
#include "sparse.hpp"

// SDDMM: products of rows of X and Y where A has nonzeros. A group of 8 lanes does four nonzeros of a row at a time: they
// share what is read of X, and four rows of Y are under way.
namespace atl::cuda {
namespace {

constexpr int kLanes = 8, kPairs = 4;

template <class Y>
struct SampledArguments {
  const DeviceSparseTask* tasks;
  long long count, blocks;
  const Edge* offsets;
  const Local* column_indices;
  const float* x;
  long long x_stride;
  const Y* y;
  long long y_stride;
  long long columns;
  float* out;
};

template <class Y, int V>
__global__ void __launch_bounds__(kSparseThreads) multiply_pairs(const SampledArguments<Y> p) {
  const GroupPlace place(kLanes, p.blocks);
  if (place.task >= p.count) return;
  const unsigned group = ((1u << kLanes) - 1) << place.first_lane;
  const DeviceSparseTask task = p.tasks[place.task];
  for (Local i = task.first; i < task.last; ++i) {
    const Edge begin = task.piece >= 0 ? task.begin : p.offsets[i], end = task.piece >= 0 ? task.end : p.offsets[i + 1];
    const float* const x = p.x + i * p.x_stride;
    for (Edge e = begin; e < end; e += kPairs) {
      const Y* y[kPairs];
      float sums[kPairs];
#pragma unroll
      for (int u = 0; u < kPairs; ++u) {
        y[u] = p.y + p.column_indices[min(e + u, end - 1)] * p.y_stride;  // what is read twice is not written
        sums[u] = 0;
      }
      for (long long column = place.lane * V; column < p.columns; column += kLanes * V) {
        const auto left = load_pack<float, V>(x + column);
        Pack<Y, V> right[kPairs];
#pragma unroll
        for (int u = 0; u < kPairs; ++u) right[u] = load_pack<Y, V>(y[u] + column);
#pragma unroll
        for (int u = 0; u < kPairs; ++u)
#pragma unroll
          for (int v = 0; v < V; ++v) sums[u] = fmaf(left[v], float_of(right[u][v]), sums[u]);
      }
      float mine = 0;
#pragma unroll
      for (int u = 0; u < kPairs; ++u) {
#pragma unroll
        for (int bit = kLanes / 2; bit > 0; bit /= 2) sums[u] += __shfl_xor_sync(group, sums[u], bit);
        if (place.lane == u) mine = sums[u];
      }
      if (place.lane < kPairs && e + place.lane < end) p.out[e + place.lane] = mine;
    }
  }
}

template <class Y>
void sampled_of(const DeviceSampledCall& call, StreamHandle stream) {
  int vector = std::min(vector_of(call.x.data, sizeof(float), call.x.stride, 4),
                        vector_of(call.y.data, sizeof(Y), call.y.stride, 4));
  while (call.x.cols % vector != 0) vector /= 2;
  const SampledArguments<Y> p{.tasks = call.tasks.tasks,
                              .count = call.tasks.count,
                              .blocks = task_blocks(call.tasks.count, kLanes),
                              .offsets = call.a.offsets,
                              .column_indices = call.a.column_indices,
                              .x = call.x.data,
                              .x_stride = call.x.stride,
                              .y = static_cast<const Y*>(call.y.data),
                              .y_stride = call.y.stride,
                              .columns = call.x.cols,
                              .out = call.out};
  const LaunchShape shape{.blocks = p.blocks, .threads = kSparseThreads};
  with_vector<4>(vector, [&](auto v) { launch(multiply_pairs<Y, v()>, shape, stream, p); });
}

}  // namespace

void sampled_product(const DeviceSampledCall& call, StreamHandle stream) {
  call.y.half ? sampled_of<std::uint16_t>(call, stream) : sampled_of<float>(call, stream);
}

}  // namespace atl::cuda
