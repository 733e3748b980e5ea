// SPDX-License-Identifier: Apache-2.0
#include "distance_summary.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace atl::cli {

nlohmann::json distance_summary(const SampledDistances& sampled) {
  constexpr int kBins = 20;
  const std::vector<double>& values = sampled.values;
  nlohmann::json summary{{"rows", sampled.rows}, {"pairs", values.size()}, {"no_path", sampled.no_path}};
  if (values.empty()) return summary;
  const auto [least, most] = std::ranges::minmax(values);
  const double range = most - least;
  const bool each = range < kBins && std::ranges::all_of(values, [](double v) { return v == std::floor(v); });
  const std::int64_t bins = each ? static_cast<std::int64_t>(range) + 1 : range == 0 ? 1 : kBins;
  const double width = each || range == 0 ? 1 : range / kBins;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
  for (const double value : values) {
    const auto bin = static_cast<std::int64_t>((value - least) / width);
    ++counts[std::min(bins - 1, bin)];  // the greatest value is in the last one
  }
  nlohmann::json histogram = nlohmann::json::array();
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    const double from = least + width * static_cast<double>(bin);
    const double to = bin + 1 == bins ? most : each ? from : from + width;
    histogram.push_back({{"from", from}, {"to", to}, {"pairs", counts[bin]}});
  }
  summary.update({{"least", least},
                  {"mean", std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())},
                  {"most", most},
                  {"histogram", std::move(histogram)}});
  return summary;
}

}  // namespace atl::cli
