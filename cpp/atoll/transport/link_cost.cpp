// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/transport/link_cost.hpp>
#include <nlohmann/json.hpp>

namespace atl {

std::vector<LinkCost> paper_costs(int depth) {
  std::vector<LinkCost> costs{{1e-6, 12.5e9, 0.2e-6}, {2e-6, 50e9, 0.2e-6}};
  for (double latency = 15e-6; static_cast<int>(costs.size()) < depth; latency *= 7.5)
    costs.push_back({latency, 50e9, 0.2e-6});
  costs.resize(static_cast<std::size_t>(depth));
  return costs;
}

std::vector<LinkCost> costs_from_json(const nlohmann::json& list) {
  check(list.is_array() && !list.empty(),
        "levels: {} (a list of objects with latency_s, bytes_per_second and overhead_s, level 0 first). Correct it.",
        list.dump());
  std::vector<LinkCost> costs;
  for (const auto& level : list) {
    try {
      costs.push_back({level.at("latency_s").get<double>(), level.at("bytes_per_second").get<double>(),
                       level.value("overhead_s", 0.0), level.value("cards", 1)});
    } catch (const nlohmann::json::exception& e) {
      throw InputError(
          fmt::format("levels: {}: {} (latency_s, bytes_per_second, overhead_s and cards are numbers). Correct it.",
                      level.dump(), e.what()));
    }
  }
  return costs;
}

Disturbance disturbance_from_json(const nlohmann::json& j) {
  Disturbance d;
  try {
    d.jitter = j.value("jitter", d.jitter);
    d.seed = j.value("seed", d.seed);
    if (j.contains("slow"))
      for (const auto& s : j.at("slow"))
        d.slow.push_back({s.at("level").get<int>(), s.at("link").get<int>(), s.at("factor").get<double>()});
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("platform: {} (jitter and seed are numbers, slow is a list of objects with level, link and "
                    "factor). Correct it.",
                    e.what()));
  }
  check(d.jitter >= 0 && d.jitter <= 1000, "jitter is {} (0 to 1000). Correct it.", d.jitter);
  return d;
}

nlohmann::json costs_to_json(const std::vector<LinkCost>& costs) {
  nlohmann::json list = nlohmann::json::array();
  for (const LinkCost& c : costs)
    list.push_back({{"latency_s", c.latency_s},
                    {"bytes_per_second", c.bytes_per_second},
                    {"overhead_s", c.overhead_s},
                    {"cards", c.cards}});
  return list;
}

}  // namespace atl
