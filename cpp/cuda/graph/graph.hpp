// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>

namespace atl::cuda {

/// The kernels of algorithms over graphs.
DeviceGraph graph_kernels();

/// pagerank.cu
std::int64_t pagerank_partials();
void start_pagerank(const DevicePageRankCall& call, StreamHandle stream);
void iterate_pagerank(const DevicePageRankCall& call, StreamHandle stream);

}  // namespace atl::cuda
