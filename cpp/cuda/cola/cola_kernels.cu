// SPDX-License-Identifier: Apache-2.0
#include "cola_kernels.hpp"
#include "column_kernel.cuh"

namespace atl::cuda {
namespace {

constexpr int kRowThreads = 128, kRowsPerBlock = kRowThreads / 32, kGatherThreads = 256;

struct RowProduct {
  SparseRows a;
  const float* b;
  std::int64_t b_stride;
  float* c;
  std::int64_t c_stride;
  int width;
  bool add;
};

// A warp takes a row, and its lanes the columns of B.
__global__ void __launch_bounds__(kRowThreads) multiply_rows_kernel(const RowProduct p) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.x / 32;
  if (row >= p.a.rows) return;
  const Edge begin = p.a.offsets[row], end = p.a.offsets[row + 1];
  if (p.add && begin == end) return;
  for (int j = static_cast<int>(threadIdx.x) % 32; j < p.width; j += 32) {
    float* const to = p.c + row * p.c_stride + j;
    float sum = p.add ? *to : 0;
    for (Edge e = begin; e < end; ++e) sum += p.a.values[e] * p.b[p.a.places[e] * p.b_stride + j];
    *to = sum;
  }
}

struct Gather {
  const float* from;
  std::int64_t from_stride;
  const Local* rows;
  float* to;
  std::int64_t to_stride, count;
  int width;
};

__global__ void __launch_bounds__(kGatherThreads) gather_rows_kernel(const Gather p) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kGatherThreads;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * kGatherThreads + threadIdx.x; e < p.count * p.width;
       e += step) {
    const std::int64_t i = e / p.width, j = e % p.width, row = p.rows ? p.rows[i] : i;
    p.to[i * p.to_stride + j] = p.from[row * p.from_stride + j];
  }
}

struct ReadableRows {
  PeerBuffers buffers;
  __device__ const float* row(std::int64_t, Rank peer, Local position, int) const {
    return buffers.data[peer] + position * buffers.stride[peer];
  }
};

}  // namespace

void multiply_rows(const SparseRows& a, DeviceView<const float> b, DeviceView<float> c, bool add, StreamHandle stream) {
  launch(multiply_rows_kernel, {.blocks = blocks_for(a.rows, kRowsPerBlock), .threads = kRowThreads}, stream,
         RowProduct{a, b.data, b.stride, c.data, c.stride, static_cast<int>(c.cols), add});
}

void multiply_columns(const SparseColumns& a, const PeerBuffers& b, DeviceView<float> c, StreamHandle stream) {
  launch_columns(a, ReadableRows{b}, c, stream);
}

void gather_rows(DeviceView<const float> from, const Local* rows, DeviceView<float> to, StreamHandle stream) {
  constexpr std::int64_t kMostBlocks = 4096;
  launch(gather_rows_kernel,
         {.blocks = std::min(blocks_for(to.rows * to.cols, kGatherThreads), kMostBlocks), .threads = kGatherThreads},
         stream, Gather{from.data, from.stride, rows, to.data, to.stride, to.rows, static_cast<int>(to.cols)});
}

}  // namespace atl::cuda
