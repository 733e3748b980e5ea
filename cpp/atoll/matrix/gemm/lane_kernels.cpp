// SPDX-License-Identifier: Apache-2.0
#include <atoll/matrix/gemm/lane_loops.hpp>

namespace atl {

template <class T>
LaneKernels<T> lane_kernels(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return lane_kernels_avx512<T>();
  if (isa == Isa::avx2) return lane_kernels_avx2<T>();
#else
  static_cast<void>(isa);
#endif
  return lane_kernels_portable<T>();
}

BitKernels bit_kernels(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return bit_kernels_avx512();
  if (isa == Isa::avx2) return bit_kernels_avx2();
#else
  static_cast<void>(isa);
#endif
  return bit_kernels_portable();
}

template LaneKernels<float> lane_kernels(Isa);
template LaneKernels<double> lane_kernels(Isa);
template LaneKernels<std::int32_t> lane_kernels(Isa);
template LaneKernels<std::uint16_t> lane_kernels(Isa);
template LaneKernels<std::uint8_t> lane_kernels(Isa);

}  // namespace atl
