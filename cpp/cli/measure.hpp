// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

/// Helpers that the benches share.
namespace atl::cli {

double median(std::vector<double> values);

/// The one-way time of a cache line between two cores in ns: it shows the state of the machine beside every figure.
double cache_line_ping_ns();

}  // namespace atl::cli
