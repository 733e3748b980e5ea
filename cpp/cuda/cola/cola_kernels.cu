// SPDX-License-Identifier: Apache-2.0
#include "cola_kernels.hpp"
#include "column_kernel.cuh"

namespace atl::cuda {
namespace {

struct ReadableRows {
  PeerBuffers buffers;
  __device__ const float* row(std::int64_t, Rank peer, Local position, int) const {
    return buffers.data[peer] + position * buffers.stride[peer];
  }
};

}  // namespace

void multiply_columns(const SparseColumns& a, const PeerBuffers& b, DeviceView<float> c, StreamHandle stream) {
  launch_columns(a, ReadableRows{b}, c, stream);
}

}  // namespace atl::cuda
