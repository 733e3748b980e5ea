// SPDX-License-Identifier: Apache-2.0
// 128-bit vectors of gcc and clang, available on every processor: SSE4 on the x86 baseline, NEON on ARM.
#include <atoll/matrix/gemm/tables.hpp>
#include <atoll/matrix/gemm/tile.hpp>

namespace atl {
namespace {

template <class T>
struct LanesOf {
  using Value = T;
  typedef T Vector __attribute__((vector_size(16)));
  static constexpr int kChains = 10;
  static Vector load(const std::byte* p) { return load_any(p); }
  static Vector load_any(const std::byte* p) {
    Vector x;
    std::memcpy(&x, p, sizeof(x));
    return x;
  }
  static void store(std::byte* p, Vector x) { std::memcpy(p, &x, sizeof(x)); }
  static Vector broadcast(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof(value));
    return all(value);
  }
  static Vector all(T value) { return value - Vector{}; }
  static void touch(Vector& x) {
#if defined(__aarch64__)
    asm volatile("" : "+w"(x));
#elif defined(__x86_64__)
    asm volatile("" : "+x"(x));
#else
    static_cast<void>(x);
#endif
  }
  static Vector min(Vector x, Vector y) { return x < y ? x : y; }
  static Vector max(Vector x, Vector y) { return x < y ? y : x; }
  static Vector sum(Vector x, Vector y) {
    const Vector s = x + y;
    if constexpr (std::is_unsigned_v<T>) {
      return s < x ? Vector(~Vector{}) : s;  // saturates
    } else {
      return s;
    }
  }
  static Vector any_of(Vector x, Vector y) { return x | y; }
  static Vector both(Vector x, Vector y) { return x & y; }
};

struct FloatNonnegative : LanesOf<float> {
  typedef std::int32_t Bits __attribute__((vector_size(16)));
  static Vector min(Vector x, Vector y) {
    const Bits a = reinterpret_cast<Bits>(x), b = reinterpret_cast<Bits>(y);
    return reinterpret_cast<Vector>(a < b ? a : b);
  }
};

struct Tiles {
  template <class L>
  static constexpr TileKernel kTiles[] = {tile_of<L, 6, 2>(), tile_of<L, 4, 3>()};
};

}  // namespace

std::span<const TileKernel> tile_kernels_portable(Algebra algebra) {
  return tiles_by_algebra<Tiles, LanesOf<float>, FloatNonnegative, LanesOf<double>, LanesOf<std::int32_t>,
                          LanesOf<std::uint16_t>, LanesOf<std::uint8_t>>(algebra);
}

}  // namespace atl
