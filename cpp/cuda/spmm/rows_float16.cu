// SPDX-License-Identifier: Apache-2.0
#include "rows.cuh"

namespace atl::cuda {

void multiply_float16(const DeviceSpmmCall& call, StreamHandle stream) { multiply_any<std::uint16_t>(call, stream); }

}  // namespace atl::cuda
