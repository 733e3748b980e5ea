// SPDX-License-Identifier: Apache-2.0
#include "tile_kernel.cuh"

namespace atl::cuda {

TileKernels tile_kernels_uint16() { return Tiles<MinPlusShort>::kernels(); }

}  // namespace atl::cuda
