// SPDX-License-Identifier: Apache-2.0
#include <atoll/matrix/gemm/gemm.hpp>

namespace atl {

// Measured on a Zen 5 processor at n = 4096 with one thread, in percent of peak: with 1024 columns for every type,
// int32 reached 87 to 92 %, uint16 88 %, uint8 83 to 85 %. Narrow values need less cache, so more columns fit and the
// block of A is read less often: this gave 91 to 96 % for uint16 and 90 % for uint8. The tile of 8 x 3 registers gave
// 92 to 94 % for int32: it needs fewer loads, and integer additions and minima run on more units than those of floats.
// A depth of 256 or 384 is 1 to 3 % slower. `atoll tune gemm` finds the values of another machine.
GemmBlocking Gemm::usual_blocking(Algebra algebra, Isa isa) {
  if (isa == Isa::avx512 && algebra.semiring == Semiring::min_plus) {
    switch (algebra.element) {
      case Element::int32:
        return {.tile = 1, .depth = 512, .rows = 192, .cols = 1056};
      case Element::uint16:
      case Element::float32_nonnegative:
        return {.tile = 0, .depth = 512, .rows = 192, .cols = 2048};
      case Element::uint8:
        return {.tile = 0, .depth = 512, .rows = 192, .cols = 4096};
      default:
        break;
    }
  }
  return {.tile = 0, .depth = 512, .rows = 192, .cols = 1024};
}

}  // namespace atl
