// SPDX-License-Identifier: Apache-2.0
#include <atoll/matrix/spmm/loops.hpp>

namespace atl {

template <class T>
std::span<const SpmmLanes<T>> spmm_kernels_portable(Reduce reduce, bool weighted) {
  return all_kernels<T, 16 / sizeof(T)>(reduce, weighted);
}
template <class T>
SddmmKernel<T> sddmm_kernel_portable() {
  return &multiply_pairs<T, 16 / sizeof(T)>;
}

template std::span<const SpmmLanes<float>> spmm_kernels_portable(Reduce, bool);
template std::span<const SpmmLanes<double>> spmm_kernels_portable(Reduce, bool);
template SddmmKernel<float> sddmm_kernel_portable();
template SddmmKernel<double> sddmm_kernel_portable();

}  // namespace atl
