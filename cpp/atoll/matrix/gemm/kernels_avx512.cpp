// SPDX-License-Identifier: Apache-2.0
// 32 registers of 512 bits: 24 for the tile, 2 for B, the rest for A and the current product.
#include <atoll/matrix/gemm/tables.hpp>
#include <atoll/matrix/gemm/tile.hpp>
#include <atoll/matrix/gemm/x86_vectors.hpp>

namespace atl {
namespace {

struct Tiles {
  template <class L>
  static constexpr TileKernel kTiles[] = {tile_of<L, 12, 2>(), tile_of<L, 8, 3>(), tile_of<L, 6, 4>()};
};

}  // namespace

std::span<const TileKernel> tile_kernels_avx512(Algebra algebra) {
  return tiles_by_algebra<Tiles, Float, FloatNonnegative, Double, Int32, Uint16, Uint8>(algebra);
}

}  // namespace atl
