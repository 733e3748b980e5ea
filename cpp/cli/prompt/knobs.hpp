// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/plan.hpp>
#include <string>

namespace atl::cli {

/// The fields of a plan, their values in it, and what each does; wrapped.
std::string explain_knobs(const Plan& plan);

}  // namespace atl::cli
