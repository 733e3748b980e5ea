// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>

namespace atl::cuda {

/// The kernels of algorithms over graphs.
DeviceGraph graph_kernels();

/// pagerank.cu
inline constexpr std::int64_t kPageRankPartials = 2 * (4096 + 1024);
void start_pagerank(const DevicePageRankCall& call, StreamHandle stream);
void iterate_pagerank(const DevicePageRankCall& call, StreamHandle stream);

}  // namespace atl::cuda
