// SPDX-License-Identifier: Apache-2.0
#include "rows.cuh"

namespace atl::cuda {

void multiply_float32(const DeviceSpmmCall& call, StreamHandle stream) { multiply_any<float>(call, stream); }

}  // namespace atl::cuda
