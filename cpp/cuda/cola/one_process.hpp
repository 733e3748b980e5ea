// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/cola/cola_pipeline.hpp>

namespace atl::cuda {

/// cola_on_one_device().
std::unique_ptr<ColaPipeline> cola_in_one_process(Device& device, std::span<const ColaPlan> plans);

}  // namespace atl::cuda
