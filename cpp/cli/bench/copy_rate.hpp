// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>

namespace atl::cli {

/// Bytes read and written each second by a copy within a device's memory: the bandwidth that its kernels are beside.
double copied_bytes_per_second(const Stream& stream, int trials);

}  // namespace atl::cli
