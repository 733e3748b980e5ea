// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/isa/kernel_variants.hpp>
#include <atoll/matrix/gemm/row_loops.hpp>
#include <bit>

namespace atl {
namespace {

template <class T>
void place(MaskedValues<T> some, std::span<T> row) {
  for (std::size_t begin = 0; begin < row.size(); begin += 64)
    for (std::uint64_t rest = some.positions[begin / 64]; rest; rest &= rest - 1)
      row[begin + static_cast<std::size_t>(std::countr_zero(rest))] = *some.values++;
}

template <class T>
void spread(MaskedValues<T> some, MaskedValues<T> others, std::span<T> row) {
  std::ranges::fill(row, kNoPath<T>);
  place(some, row);
  place(others, row);
}

}  // namespace

template <class T>
RowKernels<T> row_kernels_portable() {
  return {&spread<T>, &gather_loop<T>, &lengthen_loop<T>};
}

template <class T>
RowKernels<T> row_kernels(Isa isa) {
  return ATOLL_KERNEL_VARIANTS_512(&row_kernels_portable<T>, row_kernels, <T>).at(isa)();
}

template RowKernels<float> row_kernels(Isa);
template RowKernels<double> row_kernels(Isa);
template RowKernels<std::int32_t> row_kernels(Isa);
template RowKernels<std::uint16_t> row_kernels(Isa);
template RowKernels<std::uint8_t> row_kernels(Isa);

}  // namespace atl
