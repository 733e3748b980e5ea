// SPDX-License-Identifier: Apache-2.0
#include "lanes.cuh"
#include "sparse.hpp"

namespace atl::cuda {
namespace {

template <class T>
struct GatherArguments {
  const T* from;
  long long from_stride;
  const Local* rows;
  T* to;
  long long to_stride, count, columns;
  int lanes;
};

// A group of lanes for each row, which it moves 16 bytes a lane where addresses allow.
template <class T, int V>
__global__ void __launch_bounds__(kSparseThreads) copy_rows(const GatherArguments<T> p) {
  const GroupPlace place(p.lanes, gridDim.x);
  if (place.task >= p.count) return;
  const T* const from = p.from + p.rows[place.task] * p.from_stride;
  T* const to = p.to + place.task * p.to_stride;
#pragma unroll 4
  for (long long at = place.lane * V; at < p.columns; at += p.lanes * V)
    store_pack<T, V>(to + at, load_pack<T, V>(from + at));
}

template <class T>
void gather_of(const DeviceGatherCall& call, StreamHandle stream) {
  constexpr int kWidest = 16 / sizeof(T);
  const LaneShape shape =
      lane_shape(call.to.cols, std::min(vector_of(call.from, sizeof(T), call.from_stride, kWidest),
                                        vector_of(call.to.data, sizeof(T), call.to.stride, kWidest)));
  const GatherArguments<T> p{.from = static_cast<const T*>(call.from),
                             .from_stride = call.from_stride,
                             .rows = call.rows,
                             .to = static_cast<T*>(call.to.data),
                             .to_stride = call.to.stride,
                             .count = call.to.rows,
                             .columns = call.to.cols,
                             .lanes = shape.lanes};
  with_vector<kWidest>(shape.vector, [&](auto vector) {
    launch(copy_rows<T, vector()>, {.blocks = task_blocks(p.count, p.lanes), .threads = kSparseThreads}, stream, p);
  });
}

}  // namespace

void gather_rows(const DeviceGatherCall& call, StreamHandle stream) {
  call.value_bytes == 2 ? gather_of<std::uint16_t>(call, stream) : gather_of<std::uint32_t>(call, stream);
}

}  // namespace atl::cuda
