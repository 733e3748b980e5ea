// SPDX-License-Identifier: Apache-2.0
#include "tune_device.hpp"

#include <atoll/device/gemm_tuning.hpp>
#include <nlohmann/json.hpp>

#include "measure.hpp"
#include "tune_report.hpp"

namespace atl::cli {

nlohmann::json tune_device_product(Device& device, Element element, std::int64_t n, const tune::SearchOptions& search,
                                   int pairs) {
  const Stream stream(device);
  const tune::Space space = device_gemm_space(device, element);
  const auto rate_with = [&](const DeviceTile& tile) {
    return product_rate(stream, DeviceGemm(device, element, tile), n);
  };
  const DeviceTile usual = DeviceGemm::tiles(device, element).front();
  rate_with(usual);  // the clock rises
  const auto found = tune::grid_search(space, [&](const tune::Point& p) { return rate_with(tile_of(p)); }, search);
  const DeviceTile best = tile_of(found.front().point);
  const double peak = device.kernels().min_plus.peak(element, device.facts().processors, stream);
  nlohmann::json out = tuned_product(
      space, found, pairs, [&] { return rate_with(usual); }, [&] { return rate_with(best); }, tile_to_json(usual),
      tile_to_json(best));
  out["type"] = name_of(element);
  out["semiring"] = name_of(Semiring::min_plus);
  out["device"] = device.facts().name;
  out["n"] = n;
  out["peak_operations_per_second"] = peak;
  return out;
}

}  // namespace atl::cli
