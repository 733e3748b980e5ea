// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/kernels.hpp>

/// Builds the table of tiles by algebra from the operations of an instruction set. Included by each gemm_<isa>.cpp with
/// internal linkage.
namespace atl {

std::span<const TileKernel> tile_kernels_portable(Algebra algebra);  // gemm_portable.cpp
std::span<const TileKernel> tile_kernels_avx2(Algebra algebra);      // gemm_avx2.cpp
std::span<const TileKernel> tile_kernels_avx512(Algebra algebra);    // gemm_avx512.cpp

namespace {

/// (+) and (x) of a semiring in terms of the operations of a vector type.
template <Semiring S, class Lanes>
struct Over : Lanes {
  using Vector = typename Lanes::Vector;
  static Vector zero() { return Lanes::all(Zero<S, typename Lanes::Value>); }
  static Vector plus(Vector x, Vector y) {
    if constexpr (S == Semiring::min_plus) return Lanes::min(x, y);
    if constexpr (S == Semiring::max_plus || S == Semiring::max_min) return Lanes::max(x, y);
    if constexpr (S == Semiring::or_and) return Lanes::any_of(x, y);
  }
  static Vector times(Vector x, Vector y) {
    if constexpr (S == Semiring::min_plus || S == Semiring::max_plus) return Lanes::sum(x, y);
    if constexpr (S == Semiring::max_min) return Lanes::min(x, y);
    if constexpr (S == Semiring::or_and) return Lanes::both(x, y);
  }
};

/// Tiles::kTiles<Over<semiring, lanes>> for each supported combination.
template <class Tiles, class Float, class FloatNonnegative, class Double, class Int32, class Uint16, class Uint8>
std::span<const TileKernel> tiles_by_algebra(Algebra algebra) {
  using enum Semiring;
  switch (algebra.semiring) {
    case min_plus:
      switch (algebra.element) {
        case Element::float32:
          return Tiles::template kTiles<Over<min_plus, Float>>;
        case Element::float32_nonnegative:
          return Tiles::template kTiles<Over<min_plus, FloatNonnegative>>;
        case Element::float64:
          return Tiles::template kTiles<Over<min_plus, Double>>;
        case Element::int32:
          return Tiles::template kTiles<Over<min_plus, Int32>>;
        case Element::uint16:
          return Tiles::template kTiles<Over<min_plus, Uint16>>;
        case Element::uint8:
          return Tiles::template kTiles<Over<min_plus, Uint8>>;
      }
      break;
    case max_plus:
      switch (algebra.element) {
        case Element::float32:
          return Tiles::template kTiles<Over<max_plus, Float>>;
        case Element::float64:
          return Tiles::template kTiles<Over<max_plus, Double>>;
        case Element::int32:
          return Tiles::template kTiles<Over<max_plus, Int32>>;
        default:
          break;
      }
      break;
    case max_min:
      switch (algebra.element) {
        case Element::float32:
          return Tiles::template kTiles<Over<max_min, Float>>;
        case Element::float64:
          return Tiles::template kTiles<Over<max_min, Double>>;
        case Element::int32:
          return Tiles::template kTiles<Over<max_min, Int32>>;
        case Element::uint16:
          return Tiles::template kTiles<Over<max_min, Uint16>>;
        case Element::uint8:
          return Tiles::template kTiles<Over<max_min, Uint8>>;
        default:
          break;
      }
      break;
    case or_and:
      if (algebra.element == Element::uint8) return Tiles::template kTiles<Over<or_and, Uint8>>;
      break;
  }
  return {};
}

}  // namespace
}  // namespace atl
