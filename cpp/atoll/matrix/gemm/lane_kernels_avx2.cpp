// SPDX-License-Identifier: Apache-2.0
#include <atoll/matrix/gemm/lane_loops.hpp>

namespace atl {

template <class T>
LaneKernels<T> lane_kernels_avx2() {
  return {.relax = &relax_by_loops<T>};
}
BitKernels bit_kernels_avx2() { return {.pull = &pull_by_loops}; }

template LaneKernels<float> lane_kernels_avx2();
template LaneKernels<double> lane_kernels_avx2();
template LaneKernels<std::int32_t> lane_kernels_avx2();
template LaneKernels<std::uint16_t> lane_kernels_avx2();
template LaneKernels<std::uint8_t> lane_kernels_avx2();

}  // namespace atl
