// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/tune/search.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>

namespace atl::cli {

/// Measures the best blocking that a search has found and the usual one in pairs, so that both see the same clock
/// frequency and the same load, and tells what was tried. One that only seemed better is not taken.
nlohmann::json tuned_product(const tune::Space& space, const std::vector<tune::Measured>& found, int pairs,
                             const std::function<double()>& usual_rate, const std::function<double()>& best_rate,
                             const nlohmann::json& usual, const nlohmann::json& best);

}  // namespace atl::cli
