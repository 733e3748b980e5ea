// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/spread.hpp>
#include <bit>

namespace atl {
namespace {

template <class T>
void spread(const T* values, const std::uint64_t* places, T none, std::span<T> row) {
  std::fill(row.begin(), row.end(), none);
  for (std::size_t begin = 0; begin < row.size(); begin += 64)
    for (std::uint64_t rest = places[begin / 64]; rest; rest &= rest - 1)
      row[begin + static_cast<std::size_t>(std::countr_zero(rest))] = *values++;
}

}  // namespace

template <class T>
Spread<T> spread_kernel(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return spread_kernel_avx512<T>();
#endif
  static_cast<void>(isa);
  return &spread<T>;
}

template Spread<float> spread_kernel(Isa);
template Spread<double> spread_kernel(Isa);
template Spread<std::int32_t> spread_kernel(Isa);
template Spread<std::uint16_t> spread_kernel(Isa);
template Spread<std::uint8_t> spread_kernel(Isa);

}  // namespace atl
