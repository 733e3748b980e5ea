// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <atoll/transport/simulation/platform.hpp>

#include "cli/command.hpp"

namespace atl::cli {

/// What `run bfs GRAPH` would take on the routes of a machine that is too large to simulate: the search's profile, taken
/// on this machine, put into the closed formulas of runtime/route_model.hpp. `rows` are as those of a simulation.
struct Formulas {
  std::vector<nlohmann::json> rows;
  std::string assumptions;
};
/// Throws UsageError where `words` are another command.
Formulas by_formulas(const Hierarchy& hierarchy, const Platform& platform, const std::vector<std::string>& routes,
                     const Words& words);

}  // namespace atl::cli
