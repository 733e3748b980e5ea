// SPDX-License-Identifier: Apache-2.0
// 16 registers of 256 bits: 12 for the tile, 2 for B, one for A and one for what is being added.
#include <immintrin.h>

#include <atoll/apsp/gemm_tables.hpp>
#include <atoll/apsp/gemm_tile.hpp>

namespace atl {
namespace {

struct Lanes256 {
  using Vector = __m256i;
  static constexpr int kChains = 10;
  static constexpr std::size_t kLeftBytes = 4;
  static Vector load(const std::byte* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
  static Vector load_any(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static void store(std::byte* p, Vector x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static Vector broadcast(const std::byte* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof(word));
    return _mm256_set1_epi32(word);
  }
  static void touch(Vector& x) { asm volatile("" : "+x"(x)); }
};

struct Float : Lanes256 {
  using Value = float;
  static __m256 f(Vector x) { return _mm256_castsi256_ps(x); }
  static Vector sum(Vector x, Vector y) { return _mm256_castps_si256(_mm256_add_ps(f(x), f(y))); }
  static Vector min(Vector x, Vector y) { return _mm256_castps_si256(_mm256_min_ps(f(x), f(y))); }
  static Vector max(Vector x, Vector y) { return _mm256_castps_si256(_mm256_max_ps(f(x), f(y))); }
  static Vector all(Value v) { return _mm256_castps_si256(_mm256_set1_ps(v)); }
};
struct FloatNonnegative : Float {
  static Vector min(Vector x, Vector y) { return _mm256_min_epi32(x, y); }
};
struct Double : Lanes256 {
  using Value = double;
  static constexpr std::size_t kLeftBytes = 8;
  static __m256d d(Vector x) { return _mm256_castsi256_pd(x); }
  static Vector broadcast(const std::byte* p) {
    double value;
    std::memcpy(&value, p, sizeof(value));
    return _mm256_castpd_si256(_mm256_set1_pd(value));
  }
  static Vector sum(Vector x, Vector y) { return _mm256_castpd_si256(_mm256_add_pd(d(x), d(y))); }
  static Vector min(Vector x, Vector y) { return _mm256_castpd_si256(_mm256_min_pd(d(x), d(y))); }
  static Vector max(Vector x, Vector y) { return _mm256_castpd_si256(_mm256_max_pd(d(x), d(y))); }
  static Vector all(Value v) { return _mm256_castpd_si256(_mm256_set1_pd(v)); }
};
struct Int32 : Lanes256 {
  using Value = std::int32_t;
  static Vector sum(Vector x, Vector y) { return _mm256_add_epi32(x, y); }
  static Vector min(Vector x, Vector y) { return _mm256_min_epi32(x, y); }
  static Vector max(Vector x, Vector y) { return _mm256_max_epi32(x, y); }
  static Vector all(Value v) { return _mm256_set1_epi32(v); }
};
struct Uint16 : Lanes256 {
  using Value = std::uint16_t;
  static Vector sum(Vector x, Vector y) { return _mm256_adds_epu16(x, y); }
  static Vector min(Vector x, Vector y) { return _mm256_min_epu16(x, y); }
  static Vector max(Vector x, Vector y) { return _mm256_max_epu16(x, y); }
  static Vector all(Value v) { return _mm256_set1_epi16(static_cast<short>(v)); }
};
struct Uint8 : Lanes256 {
  using Value = std::uint8_t;
  static Vector sum(Vector x, Vector y) { return _mm256_adds_epu8(x, y); }
  static Vector min(Vector x, Vector y) { return _mm256_min_epu8(x, y); }
  static Vector max(Vector x, Vector y) { return _mm256_max_epu8(x, y); }
  static Vector all(Value v) { return _mm256_set1_epi8(static_cast<char>(v)); }
  static Vector any_of(Vector x, Vector y) { return _mm256_or_si256(x, y); }
  static Vector both(Vector x, Vector y) { return _mm256_and_si256(x, y); }
};

struct Tiles {
  template <class L>
  static constexpr TileKernel kTiles[] = {tile_of<L, 6, 2>(), tile_of<L, 4, 3>()};
};

}  // namespace

std::span<const TileKernel> tile_kernels_avx2(Algebra algebra) {
  return tiles_by_algebra<Tiles, Float, FloatNonnegative, Double, Int32, Uint16, Uint8>(algebra);
}

}  // namespace atl
