// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>
#include <atoll/matrix/semiring.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

/// The tile kernels of semiring products, by instruction set; for gemm.cpp, the tuner and the benchmark.
namespace atl {

/// A semiring and the type of its values.
struct Algebra {
  Semiring semiring = Semiring::min_plus;
  Element element = Element::float32;
  bool operator==(const Algebra&) const = default;
};

/// Combines the product of rows x depth and depth x cols values into rows x cols values of C. Both factors are packed:
/// A holds `rows` values per step, each in left_bytes (narrow values are repeated, so that one 32-bit broadcast serves
/// them too); B holds `cols` values per step, 64-byte aligned.
struct TileKernel {
  int rows = 0, cols = 0, left_bytes = 0;
  void (*multiply)(std::int64_t depth, const std::byte* a, const std::byte* b, std::byte* c,
                   std::int64_t c_stride_bytes) = nullptr;
  /// Runs a loop on registers only and returns the operations done, which gives the processor's peak for this algebra.
  double (*run_in_registers)(std::int64_t rounds) = nullptr;
};

/// The tiles of an algebra, the best first; empty for unsupported combinations: max_plus needs a type with -infinity,
/// float32_nonnegative is for min_plus, or_and for uint8.
std::span<const TileKernel> tile_kernels(Algebra algebra, Isa isa);

}  // namespace atl
