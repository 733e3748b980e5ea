// SPDX-License-Identifier: Apache-2.0
#include <atoll/transport/time_spent.hpp>
#include <nlohmann/json.hpp>

namespace atl {

nlohmann::json TimeSpent::to_json() const {
  nlohmann::json j{{"compute", compute}, {"intra", intra}, {"inter", inter}, {"stall", stall}};
  if (of_records() > 0) {
    j["copying"] = copying;
    j["appending"] = appending;
    j["merging"] = merging;
    j["handling"] = handling;
  }
  return j;
}

}  // namespace atl
