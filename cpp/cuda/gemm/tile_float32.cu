// SPDX-License-Identifier: Apache-2.0
#include "tile_kernel.cuh"

namespace atl::cuda {

TileKernels tile_kernels_float32() { return Tiles<MinPlusFloat>::kernels(); }

}  // namespace atl::cuda
