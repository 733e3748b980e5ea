// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/gemm.hpp>

namespace atl {

// Found by `atoll tune gemm` (see docs/all-pairs.md); another machine keeps its own beside them.
GemmBlocking Gemm::usual_blocking(Algebra algebra, Isa isa) {
  static_cast<void>(algebra);
  static_cast<void>(isa);
  return {.tile = 0, .depth = 384, .rows = 96, .cols = 1024};
}

}  // namespace atl
