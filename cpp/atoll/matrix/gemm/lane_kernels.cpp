// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/isa/kernel_variants.hpp>
#include <atoll/matrix/gemm/lane_loops.hpp>

namespace atl {

template <class T>
LaneKernels<T> lane_kernels(Isa isa) {
  return ATOLL_KERNEL_VARIANTS(lane_kernels, <T>).at(isa)();
}

BitKernels bit_kernels(Isa isa) { return ATOLL_KERNEL_VARIANTS(bit_kernels).at(isa)(); }

template LaneKernels<float> lane_kernels(Isa);
template LaneKernels<double> lane_kernels(Isa);
template LaneKernels<std::int32_t> lane_kernels(Isa);
template LaneKernels<std::uint16_t> lane_kernels(Isa);
template LaneKernels<std::uint8_t> lane_kernels(Isa);

}  // namespace atl
