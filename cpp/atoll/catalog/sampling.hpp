// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arguments.hpp"

/// The options of checks that draw samples.
namespace atl::catalog {

/// `samples`, with this default and help, and the `seed` that draws them.
std::vector<Option> sampling_options(std::int64_t standard, std::string_view help);
std::uint64_t seed_of(const Arguments& arguments);

}  // namespace atl::catalog
