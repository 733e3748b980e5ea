// SPDX-License-Identifier: Apache-2.0
#include "sparse.hpp"

namespace atl::cuda {

DeviceSparse sparse_kernels() {
  return {.multiply = [](const DeviceSpmmCall& call,
                         StreamHandle stream) { (call.b.half ? multiply_float16 : multiply_float32)(call, stream); },
          .add_columns = &add_columns,
          .sampled = &sampled_product,
          .gather = &gather_rows};
}

}  // namespace atl::cuda
