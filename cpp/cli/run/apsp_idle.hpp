// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>

namespace CLI {
class App;
}

namespace atl::cli {

/// Rejects options of `run apsp` that would have no effect in this run on `ranks` ranks. The UsageError says which
/// other option or setting makes them useless, and what to give instead.
void refuse_idle_options(const CLI::App& app, Rank ranks);

}  // namespace atl::cli
