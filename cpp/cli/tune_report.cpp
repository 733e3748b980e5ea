// SPDX-License-Identifier: Apache-2.0
#include "tune_report.hpp"

#include <nlohmann/json.hpp>

#include "measure.hpp"

namespace atl::cli {

nlohmann::json tuned_product(const tune::Space& space, const std::vector<tune::Measured>& found, int pairs,
                             const std::function<double()>& usual_rate, const std::function<double()>& best_rate,
                             const nlohmann::json& usual, const nlohmann::json& best) {
  std::vector<double> rates, usual_rates, gains;
  for (int i = 0; i < pairs; ++i) {
    usual_rates.push_back(usual_rate());
    rates.push_back(best_rate());
    gains.push_back(rates.back() / usual_rates.back());
  }
  const bool better = median(gains) > 1;
  constexpr std::size_t kShown = 5;
  nlohmann::json tried = nlohmann::json::array(), rules = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(kShown, found.size()); ++i)
    tried.push_back({{"blocking", found[i].point.to_json()},
                     {"operations_per_second", found[i].rate},
                     {"measured", found[i].rates.size()}});
  for (const auto& [rule, points] : space.left_out()) rules.push_back({{"rule", rule}, {"left_out", points}});
  return {{"points", space.size()},
          {"allowed", space.points().size()},
          {"measured", found.size()},
          {"rules", rules},
          {"blocking", better ? best : usual},
          {"operations_per_second", better ? median(rates) : median(usual_rates)},
          {"usual", {{"blocking", usual}, {"operations_per_second", median(usual_rates)}}},
          {"gain", better ? median(gains) : 1.0},
          {"best", tried}};
}

}  // namespace atl::cli
