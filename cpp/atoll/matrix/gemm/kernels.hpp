// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa.hpp>
#include <atoll/matrix/semiring.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

/// The tiles of which a semiring product is made, by instruction set. For gemm.cpp, the tuner and the bench.
namespace atl {

/// What is computed: in which semiring, on values of which type.
struct Algebra {
  Semiring semiring = Semiring::min_plus;
  Element element = Element::float32;
  bool operator==(const Algebra&) const = default;
};

/// A product of rows x depth and depth x cols that is combined into rows x cols values of C. Both factors are packed: A
/// holds for each step its `rows` values, each as left_bytes (narrow values repeated, so that one broadcast of 32 bits
/// serves them too); B for each step its `cols` values, 64-byte aligned.
struct TileKernel {
  int rows = 0, cols = 0, left_bytes = 0;
  void (*multiply)(std::int64_t depth, const std::byte* a, const std::byte* b, std::byte* c,
                   std::int64_t c_stride_bytes) = nullptr;
  /// Rounds of a loop that touches registers only; returns the operations done: the processor's peak for this algebra.
  double (*run_in_registers)(std::int64_t rounds) = nullptr;
};

/// The tiles of an algebra, the best first; empty where the combination makes no sense: max_plus needs a type with
/// -infinity, float32_nonnegative is for min_plus, or_and for uint8.
std::span<const TileKernel> tile_kernels(Algebra algebra, Isa isa);

}  // namespace atl
