// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <atoll/tune/search.hpp>
#include <nlohmann/json_fwd.hpp>

namespace atl::cli {

/// Finds the fastest tile of products of n x n x n on a device: what `atoll tune gemm --device cuda` stores and tells, in
/// the form of a product on the processor.
nlohmann::json tune_device_product(Device& device, Element element, std::int64_t n, const tune::SearchOptions& search,
                                   int pairs);

}  // namespace atl::cli
