// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// Vector operations on each type of values, in the widest registers that the including file is compiled for: 512 bits
/// with AVX-512BW, else 256 with AVX2. Included by gemm_<isa>.cpp and lane_kernels_<isa>.cpp, with internal linkage.
///
///     Int32::min(Int32::load(p), Int32::all(7))       // 16 values at a time, or 8
///
/// All types keep their values in Vector, so that one function moves them; casts between vector types cost no
/// instruction.
namespace atl {
namespace {

#if defined(__AVX512BW__)
#define ATOLL_MM(operation) _mm512_##operation
using Vector = __m512i;
using AnyVector = __m512i_u;
using Floats = __m512;
using Doubles = __m512d;
#else
#define ATOLL_MM(operation) _mm256_##operation
using Vector = __m256i;
using AnyVector = __m256i_u;
using Floats = __m256;
using Doubles = __m256d;
#endif

template <class T>
struct VectorOf {
  using Value = T;
  using Vector = atl::Vector;
  static constexpr int kChains = sizeof(Vector) == 64 ? 20 : 10;  ///< independent results, of 32 or 16 registers
  static Vector load(const void* p) { return *static_cast<const Vector*>(p); }
  static Vector load_any(const void* p) { return *static_cast<const AnyVector*>(p); }
  static void store(void* p, Vector x) { *static_cast<AnyVector*>(p) = x; }
  /// Broadcasts the word at p, which is as wide as a value but at least four bytes.
  static Vector broadcast(const void* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof(word));
    return ATOLL_MM(set1_epi32)(word);
  }
  /// Hides from the compiler what is known about x.
  static void touch(Vector& x) { asm volatile("" : "+v"(x)); }
};

struct Float : VectorOf<float> {
  static Floats f(Vector x) { return reinterpret_cast<Floats>(x); }
  static Vector v(Floats x) { return reinterpret_cast<Vector>(x); }
  static Vector sum(Vector x, Vector y) { return v(ATOLL_MM(add_ps)(f(x), f(y))); }
  static Vector min(Vector x, Vector y) { return v(ATOLL_MM(min_ps)(f(x), f(y))); }
  static Vector max(Vector x, Vector y) { return v(ATOLL_MM(max_ps)(f(x), f(y))); }
  static Vector all(float value) { return v(ATOLL_MM(set1_ps)(value)); }
};
struct FloatNonnegative : Float {
  static Vector min(Vector x, Vector y) { return ATOLL_MM(min_epi32)(x, y); }
};
struct Double : VectorOf<double> {
  static Doubles d(Vector x) { return reinterpret_cast<Doubles>(x); }
  static Vector v(Doubles x) { return reinterpret_cast<Vector>(x); }
  static Vector broadcast(const void* p) {
    double value;
    std::memcpy(&value, p, sizeof(value));
    return all(value);
  }
  static Vector sum(Vector x, Vector y) { return v(ATOLL_MM(add_pd)(d(x), d(y))); }
  static Vector min(Vector x, Vector y) { return v(ATOLL_MM(min_pd)(d(x), d(y))); }
  static Vector max(Vector x, Vector y) { return v(ATOLL_MM(max_pd)(d(x), d(y))); }
  static Vector all(double value) { return v(ATOLL_MM(set1_pd)(value)); }
};
struct Int32 : VectorOf<std::int32_t> {
  static Vector sum(Vector x, Vector y) { return ATOLL_MM(add_epi32)(x, y); }
  static Vector min(Vector x, Vector y) { return ATOLL_MM(min_epi32)(x, y); }
  static Vector max(Vector x, Vector y) { return ATOLL_MM(max_epi32)(x, y); }
  static Vector all(std::int32_t value) { return ATOLL_MM(set1_epi32)(value); }
};
struct Uint16 : VectorOf<std::uint16_t> {
  static Vector sum(Vector x, Vector y) { return ATOLL_MM(adds_epu16)(x, y); }
  static Vector min(Vector x, Vector y) { return ATOLL_MM(min_epu16)(x, y); }
  static Vector max(Vector x, Vector y) { return ATOLL_MM(max_epu16)(x, y); }
  static Vector all(std::uint16_t value) { return ATOLL_MM(set1_epi16)(static_cast<short>(value)); }
};
struct Uint8 : VectorOf<std::uint8_t> {
  static Vector sum(Vector x, Vector y) { return ATOLL_MM(adds_epu8)(x, y); }
  static Vector min(Vector x, Vector y) { return ATOLL_MM(min_epu8)(x, y); }
  static Vector max(Vector x, Vector y) { return ATOLL_MM(max_epu8)(x, y); }
  static Vector all(std::uint8_t value) { return ATOLL_MM(set1_epi8)(static_cast<char>(value)); }
  static Vector any_of(Vector x, Vector y) { return x | y; }
  static Vector both(Vector x, Vector y) { return x & y; }
};

#undef ATOLL_MM

}  // namespace
}  // namespace atl
