// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <atoll/runtime/world.hpp>
#include <vector>

#include "cli/command.hpp"

namespace atl::cli {

/// Times C <- A B on a device for each number of columns, beside the bytes that must move and, for sums, beside the best
/// of cuSPARSE's algorithms where the library is found, in turns of the same run.
Outcome measure_device_products(World& world, Device& device, const SparseMatrix<float>& a,
                                const std::vector<std::int64_t>& columns, Reduce reduce, int trials);

}  // namespace atl::cli
