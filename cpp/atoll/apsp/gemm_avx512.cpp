// SPDX-License-Identifier: Apache-2.0
// 32 registers of 512 bits: 24 for the tile, 2 for B, the rest for A and what is being added.
#include <immintrin.h>

#include <atoll/apsp/gemm_tables.hpp>
#include <atoll/apsp/gemm_tile.hpp>

namespace atl {
namespace {

struct Lanes512 {
  using Vector = __m512i;
  static constexpr int kChains = 20;
  static constexpr std::size_t kLeftBytes = 4;
  static Vector load(const std::byte* p) { return _mm512_load_si512(p); }
  static Vector load_any(const std::byte* p) { return _mm512_loadu_si512(p); }
  static void store(std::byte* p, Vector x) { _mm512_storeu_si512(p, x); }
  static Vector broadcast(const std::byte* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof(word));
    return _mm512_set1_epi32(word);
  }
  static void touch(Vector& x) { asm volatile("" : "+v"(x)); }
};

struct Float : Lanes512 {
  using Value = float;
  static __m512 f(Vector x) { return _mm512_castsi512_ps(x); }
  static Vector sum(Vector x, Vector y) { return _mm512_castps_si512(_mm512_add_ps(f(x), f(y))); }
  static Vector min(Vector x, Vector y) { return _mm512_castps_si512(_mm512_min_ps(f(x), f(y))); }
  static Vector max(Vector x, Vector y) { return _mm512_castps_si512(_mm512_max_ps(f(x), f(y))); }
  static Vector all(Value v) { return _mm512_castps_si512(_mm512_set1_ps(v)); }
};
struct FloatNonnegative : Float {
  static Vector min(Vector x, Vector y) { return _mm512_min_epi32(x, y); }
};
struct Double : Lanes512 {
  using Value = double;
  static constexpr std::size_t kLeftBytes = 8;
  static __m512d d(Vector x) { return _mm512_castsi512_pd(x); }
  static Vector broadcast(const std::byte* p) {
    double value;
    std::memcpy(&value, p, sizeof(value));
    return _mm512_castpd_si512(_mm512_set1_pd(value));
  }
  static Vector sum(Vector x, Vector y) { return _mm512_castpd_si512(_mm512_add_pd(d(x), d(y))); }
  static Vector min(Vector x, Vector y) { return _mm512_castpd_si512(_mm512_min_pd(d(x), d(y))); }
  static Vector max(Vector x, Vector y) { return _mm512_castpd_si512(_mm512_max_pd(d(x), d(y))); }
  static Vector all(Value v) { return _mm512_castpd_si512(_mm512_set1_pd(v)); }
};
struct Int32 : Lanes512 {
  using Value = std::int32_t;
  static Vector sum(Vector x, Vector y) { return _mm512_add_epi32(x, y); }
  static Vector min(Vector x, Vector y) { return _mm512_min_epi32(x, y); }
  static Vector max(Vector x, Vector y) { return _mm512_max_epi32(x, y); }
  static Vector all(Value v) { return _mm512_set1_epi32(v); }
};
struct Uint16 : Lanes512 {
  using Value = std::uint16_t;
  static Vector sum(Vector x, Vector y) { return _mm512_adds_epu16(x, y); }
  static Vector min(Vector x, Vector y) { return _mm512_min_epu16(x, y); }
  static Vector max(Vector x, Vector y) { return _mm512_max_epu16(x, y); }
  static Vector all(Value v) { return _mm512_set1_epi16(static_cast<short>(v)); }
};
struct Uint8 : Lanes512 {
  using Value = std::uint8_t;
  static Vector sum(Vector x, Vector y) { return _mm512_adds_epu8(x, y); }
  static Vector min(Vector x, Vector y) { return _mm512_min_epu8(x, y); }
  static Vector max(Vector x, Vector y) { return _mm512_max_epu8(x, y); }
  static Vector all(Value v) { return _mm512_set1_epi8(static_cast<char>(v)); }
  static Vector any_of(Vector x, Vector y) { return _mm512_or_si512(x, y); }
  static Vector both(Vector x, Vector y) { return _mm512_and_si512(x, y); }
};

struct Tiles {
  template <class L>
  static constexpr TileKernel kTiles[] = {tile_of<L, 12, 2>(), tile_of<L, 8, 3>(), tile_of<L, 6, 4>()};
};

}  // namespace

std::span<const TileKernel> tile_kernels_avx512(Algebra algebra) {
  return tiles_by_algebra<Tiles, Float, FloatNonnegative, Double, Int32, Uint16, Uint8>(algebra);
}

}  // namespace atl
