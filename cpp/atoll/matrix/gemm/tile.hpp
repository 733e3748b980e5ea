// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/kernels.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

/// The inner loop of a semiring product, for any set of instructions. A file gemm_<isa>.cpp says what its registers can
/// (a class of Lanes for each algebra) and lists the tiles it wants; all else is here, once. Everything is internal to
/// the file that includes it: each is compiled for another processor.
namespace atl {
namespace {

/// Of a value of A as it is packed: a processor broadcasts 32 bits while it loads, but shuffles for less.
template <class L>
constexpr std::size_t kLeftBytes = sizeof(typename L::Value) > 4 ? sizeof(typename L::Value) : 4;

/// C (+) A (x) B for a tile of kRows x (kVectors * L::kLanes) values that stay in registers. Per step of k: kVectors loads
/// of B, kRows broadcasts of A, and kRows * kVectors times (x) and (+). The tile of C is fetched into the cache meanwhile
/// and merged at the end: so its lines are touched once, and nobody waits for them.
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
      L::touch(
          left);  // row after row: left to itself, gcc 12 loads all rows first and then has no registers for the sums
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

/// What the processor can at most: (x) and (+) on registers alone, kChains independent ones in turn. Returns the number
/// of operations done, (x) and (+) counted as two.
template <class L>
[[gnu::noinline]] double run_in_registers(std::int64_t rounds) {
  using V = typename L::Vector;
  V chain[L::kChains], left = L::zero(), right = L::zero();
#pragma GCC unroll 32
  for (int i = 0; i < L::kChains; ++i) chain[i] = L::zero();
  for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 32
    for (int i = 0; i < L::kChains; ++i) {
      L::touch(left);  // or the compiler would see that all are the same
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
