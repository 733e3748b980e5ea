// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace atl::cli {

/// --strategy: how a distributed product fetches rows (SpmmStrategy), or auto.
void add_spmm_strategy(CLI::App& app, std::string& strategy);

}  // namespace atl::cli
