// SPDX-License-Identifier: Apache-2.0
#include "tile_kernel.cuh"

namespace atl::cuda {

TileKernels tile_kernels_int32() { return Tiles<MinPlusInt>::kernels(); }

}  // namespace atl::cuda
