// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device_gemm.hpp>
#include <atoll/tune/space.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

/// The tile of a device's products as a tuning space (COAST, figure 4 and appendix C.3), and the one stored for a device.
///
///     const tune::Space space = device_gemm_space(device, Element::float32);
///     tune::grid_search(space, [&](const tune::Point& p) { return product_rate(stream, DeviceGemm(device, e, tile_of(p)), n); });
///     DeviceGemm gemm(device, e, stored_device_tile(device, e, tune::Store()));
namespace atl {
namespace tune {
class Store;
}

/// Parameters: blk_m, blk_n, blk_k as in the paper, the values of a thread, and the stages of its pipeline. The rules are
/// the paper's, for a device of this kind, and at last that the tile is compiled in.
tune::Space device_gemm_space(const Device& device, Element element);
DeviceTile tile_of(const tune::Point& point);
/// In the form of a point of the space.
nlohmann::json tile_to_json(const DeviceTile& tile);

/// Operations per second of an n x n x n product of packed random factors, by the device's clock.
double product_rate(const Stream& stream, const DeviceGemm& gemm, std::int64_t n);

/// "gemm/NVIDIA_H200/min_plus/float32"
std::string device_tile_key(const Device& device, Element element);
/// None if nothing was stored, or it is no longer compiled in. Throws InputError if the file is damaged.
std::optional<DeviceTile> stored_device_tile(const Device& device, Element element, const tune::Store& store);

}  // namespace atl
