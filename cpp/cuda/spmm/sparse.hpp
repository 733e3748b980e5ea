// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>

namespace atl::cuda {

/// The kernels of sparse matrices.
DeviceSparse sparse_kernels();

void multiply_float32(const DeviceSpmmCall& call, StreamHandle stream);
void multiply_float16(const DeviceSpmmCall& call, StreamHandle stream);
void add_columns(const DeviceColumnsCall& call, int architecture, StreamHandle stream);
void sampled_product(const DeviceSampledCall& call, StreamHandle stream);
void gather_rows(const DeviceGatherCall& call, StreamHandle stream);

}  // namespace atl::cuda
