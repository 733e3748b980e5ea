// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>

namespace atl::cuda {

/// The kernels of products and closures over min_plus. gemm/tile_<element>.cu has the products.
DeviceMinPlus min_plus_kernels();

/// The kernels of one element.
struct TileKernels {
  std::span<const DeviceTile> tiles;
  void (*multiply)(const DeviceProductCall& call, int architecture, StreamHandle stream);
  double (*peak)(int processors, StreamHandle stream);
};
TileKernels tile_kernels_float32();
TileKernels tile_kernels_int32();
TileKernels tile_kernels_uint16();

/// Steps of k that one word of a packed factor has.
constexpr int steps_per_word(Element element) { return element == Element::uint16 ? 2 : 1; }

}  // namespace atl::cuda
