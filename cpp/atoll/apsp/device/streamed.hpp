// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/device/device_gemm.hpp>

namespace atl {

/// Floyd-Warshall of a matrix that is larger than a device's memory: it stays in the host's, and for each block strips of
/// rows pass through the device. Copies in both directions and products run beside each other. A value is copied twice
/// for each 2 b operations on it, so blocks are long: at 28 Top/s and 50 GB/s each way products take longer than copies
/// from b = 1,120 on.
///
/// Throws DeviceError that says so where not even strips of one tile fit.
template <class T>
std::optional<GainCycle> floyd_warshall_streamed(const DeviceGemm& gemm, MatrixView<T> d,
                                                 const FloydWarshallOptions& options, FloydWarshallReport* report);

}  // namespace atl
