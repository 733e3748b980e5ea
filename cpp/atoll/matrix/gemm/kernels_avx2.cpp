// SPDX-License-Identifier: Apache-2.0
// 16 registers of 256 bits: 12 for the tile, 2 for B, one for A and one for the current product.
#include <atoll/matrix/gemm/tables.hpp>
#include <atoll/matrix/gemm/tile.hpp>
#include <atoll/matrix/gemm/x86_vectors.hpp>

namespace atl {
namespace {

struct Tiles {
  template <class L>
  static constexpr TileKernel kTiles[] = {tile_of<L, 6, 2>(), tile_of<L, 4, 3>()};
};

}  // namespace

std::span<const TileKernel> tile_kernels_avx2(Algebra algebra) {
  return tiles_by_algebra<Tiles, Float, FloatNonnegative, Double, Int32, Uint16, Uint8>(algebra);
}

}  // namespace atl
