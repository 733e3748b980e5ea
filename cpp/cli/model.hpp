// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/model/apsp_machine.hpp>
#include <string>

namespace atl::cli {

/// A machine's parameters by what a user calls them: "frontier", a file that `atoll model fit` wrote, or "" for this machine
/// as it was last measured with such elements. Throws InputError where there are none.
ApspMachine apsp_parameters(const std::string& name, const std::string& element);

}  // namespace atl::cli
