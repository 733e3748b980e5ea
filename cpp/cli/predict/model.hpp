// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/model/apsp_time.hpp>
#include <atoll/matrix/block_cyclic.hpp>
#include <atoll/matrix/semiring.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace atl::cli {

/// A machine's parameters by the user's name for them: "frontier", a file that `atoll model fit` wrote, or "" for the
/// latest measurement of this machine with this element type. Throws InputError if there are none.
ApspMachine apsp_parameters(const std::string& name, const std::string& element);

/// A run that was measured.
struct ApspRun {
  Element element = Element::float32;
  std::int64_t n = 0;
  ProcessGrid grid;
  std::int64_t block = 0;
  std::string broadcast;
  double share = 1;  ///< fraction of the 2 n^3 operations that was done: less after --steps, or on undirected graphs
  double seconds = 0;
};
/// The model's figures for it: ideal, worst, expected and measured seconds, and where between ideal (0) and worst (1)
/// it lies. Nothing if this machine's parameters, or its broadcasts, were never measured.
std::optional<nlohmann::json> apsp_forecast(const ApspRun& run);

}  // namespace atl::cli
