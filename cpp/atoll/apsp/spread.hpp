// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa.hpp>
#include <cstdint>
#include <span>

namespace atl {

/// row[j] <- the next of `values` where bit j of `places` is set, else `none`. `values` may be read 64 bytes beyond those
/// that are used.
template <class T>
using Spread = void (*)(const T* values, const std::uint64_t* places, T none, std::span<T> row);
template <class T>
Spread<T> spread_kernel(Isa isa);
template <class T>
Spread<T> spread_kernel_avx512();  // spread_avx512.cpp

}  // namespace atl
