// SPDX-License-Identifier: Apache-2.0
#include <atoll/gnn/dense/loops.hpp>

namespace atl {

template <class T>
std::span<const DenseLanes<T>> dense_kernels_avx512() {
  return kDenseLanes<T, 64 / sizeof(T)>;
}

template std::span<const DenseLanes<float>> dense_kernels_avx512();
template std::span<const DenseLanes<double>> dense_kernels_avx512();

}  // namespace atl
