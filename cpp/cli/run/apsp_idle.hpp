// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <atoll/base/types.hpp>

namespace atl::cli {

/// Refuses options of `run apsp` that were given and would do nothing in this run, on so many ranks: UsageError that says
/// beside what, and what to give.
void refuse_idle_options(const CLI::App& app, Rank ranks);

}  // namespace atl::cli
