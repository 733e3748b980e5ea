// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <atoll/topology/machine.hpp>

#include "cli/command.hpp"

namespace atl::cli {

/// Predicts the time of `run bfs GRAPH` on each route of a machine that is too large to simulate: the search's profile,
/// taken on this machine, is put into the closed formulas of RouteModel. `rows` have the form of a simulation's.
struct PredictedRun {
  std::vector<nlohmann::json> rows;
  std::string assumptions;
};
/// `without`: as in the plan. Throws UsageError if `words` are another command.
PredictedRun predict_run(const Hierarchy& hierarchy, const Machine& machine, const std::vector<std::string>& routes,
                         const std::string& without, const Words& words);

}  // namespace atl::cli
