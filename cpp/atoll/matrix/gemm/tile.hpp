// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/kernels.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

/// The inner loop of a semiring product, for any instruction set. A file gemm_<isa>.cpp defines the operations on its
/// registers (a class of lanes for each algebra) and lists its tiles; everything else is here. All of it has internal
/// linkage, because each including file is compiled for another processor.
namespace atl {
namespace {

/// Width of a packed value of A: processors broadcast 32 bits while they load, but need shuffles for narrower values.
template <class L>
constexpr std::size_t kLeftBytes = sizeof(typename L::Value) > 4 ? sizeof(typename L::Value) : 4;

/// C (+) A (x) B for a tile of kRows x (kVectors * L::kLanes) values that stay in registers. Each step of k takes
/// kVectors loads of B, kRows broadcasts of A, and kRows * kVectors times (x) and (+). The tile of C is prefetched
/// meanwhile and merged at the end, so its lines are touched once and without a stall.
template <class L, int kRows, int kVectors>
[[gnu::noinline]] void multiply_tile(std::int64_t depth, const std::byte* a, const std::byte* b, std::byte* c,
                                     std::int64_t c_stride_bytes) {
  using V = typename L::Vector;
  constexpr std::size_t kVectorBytes = sizeof(V), kStepA = kLeftBytes<L> * kRows;
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v)
      __builtin_prefetch(c + i * c_stride_bytes + static_cast<std::ptrdiff_t>(v * kVectorBytes), 1);
  V sum[kRows][kVectors];
#pragma GCC unroll 32
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sum[i][v] = L::zero();
  for (; depth > 0; --depth) {
    V right[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) right[v] = L::load(b + v * kVectorBytes);
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
      V left = L::broadcast(a + i * kLeftBytes<L>);
      L::touch(left);  // Row by row: otherwise gcc 12 loads all rows first and has no registers left for the sums.
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        sum[i][v] = L::plus(sum[i][v], L::times(left, right[v]));
        L::touch(sum[i][v]);
      }
    }
    a += kStepA;
    b += kVectorBytes * kVectors;
  }
#pragma GCC unroll 32
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      std::byte* const at = c + i * c_stride_bytes + static_cast<std::ptrdiff_t>(v * kVectorBytes);
      L::store(at, L::plus(L::load_any(at), sum[i][v]));
    }
}

/// The peak rate: (x) and (+) on registers alone, in kChains independent chains. Returns the number of operations,
/// counting (x) and (+) as two.
template <class L>
[[gnu::noinline]] double run_in_registers(std::int64_t rounds) {
  using V = typename L::Vector;
  V chain[L::kChains], left = L::zero(), right = L::zero();
#pragma GCC unroll 32
  for (int i = 0; i < L::kChains; ++i) chain[i] = L::zero();
  for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 32
    for (int i = 0; i < L::kChains; ++i) {
      L::touch(left);  // else the compiler would see that all chains are equal
      chain[i] = L::plus(chain[i], L::times(left, right));
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < L::kChains; ++i) L::touch(chain[i]);
  return 2.0 * static_cast<double>(rounds) * L::kChains * static_cast<double>(sizeof(V) / sizeof(typename L::Value));
}

template <class L, int kRows, int kVectors>
constexpr TileKernel tile_of() {
  constexpr int lanes = static_cast<int>(sizeof(typename L::Vector) / sizeof(typename L::Value));
  return {.rows = kRows,
          .cols = kVectors * lanes,
          .left_bytes = static_cast<int>(kLeftBytes<L>),
          .multiply = &multiply_tile<L, kRows, kVectors>,
          .run_in_registers = &run_in_registers<L>};
}

}  // namespace
}  // namespace atl
