// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../simt/primitives.hpp"

/// How kernels compute over min_plus: for each type the word that packed factors consist of, what a thread accumulates,
/// and the instructions. `Steps` values of one row (or column) and successive k share a word, so that one instruction
/// serves several steps and all four transpositions of a product are one kernel.
namespace atl::cuda {

/// `better` is what the inner loop runs for a word of each factor, `one` the same for single values.
///
/// One addition and one minimum for each step: 64 of these pairs a clock and multiprocessor (sm_80 and sm_90).
struct MinPlusFloat {
  using Value = float;
  using Word = float;
  static constexpr int kSteps = 1;
  __host__ __device__ static Value no_path() { return __builtin_huge_valf(); }
  __host__ __device__ static Word word(const Value (&v)[1]) { return v[0]; }
  __device__ static Word none() { return no_path(); }
  __device__ __forceinline__ static Word better(Word a, Word b, Word best) { return fminf(best, a + b); }
  __device__ __forceinline__ static Value least(Word best) { return best; }
  __device__ __forceinline__ static Value one(Value a, Value b, Value best) { return fminf(best, a + b); }
};

/// One instruction for both since sm_90.
struct MinPlusInt {
  using Value = int;
  using Word = int;
  static constexpr int kSteps = 1;
  __host__ __device__ static Value no_path() { return 0x3fffffff; }
  __host__ __device__ static Word word(const Value (&v)[1]) { return v[0]; }
  __device__ static Word none() { return no_path(); }
  __device__ __forceinline__ static Word better(Word a, Word b, Word best) { return __viaddmin_s32(a, b, best); }
  __device__ __forceinline__ static Value least(Word best) { return best; }
  __device__ __forceinline__ static Value one(Value a, Value b, Value best) { return __viaddmin_s32(a, b, best); }
};

/// Two steps in one instruction: the halves of a word collect the even and the odd steps, and meet at the end.
struct MinPlusShort {
  using Value = unsigned short;
  using Word = unsigned;
  static constexpr int kSteps = 2;
  __host__ __device__ static Value no_path() { return 0x7fff; }
  __host__ __device__ static Word word(const Value (&v)[2]) { return v[0] | static_cast<unsigned>(v[1]) << 16; }
  __device__ static Word none() { return 0x7fff7fff; }
  __device__ __forceinline__ static Word better(Word a, Word b, Word best) { return __viaddmin_u16x2(a, b, best); }
  __device__ __forceinline__ static Value least(Word best) {
    const unsigned even = best & 0xffffu, odd = best >> 16;
    return static_cast<Value>(even < odd ? even : odd);
  }
  __device__ __forceinline__ static Value one(Value a, Value b, Value best) {
    const unsigned sum = static_cast<unsigned>(a) + b;
    return sum < best ? static_cast<Value>(sum) : best;
  }
};

}  // namespace atl::cuda
