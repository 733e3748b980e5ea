// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>

/// The one table by which a processor's kernels are chosen: a kernel's variants by instruction set. (Those of a device
/// are what its plug-in has: device/device_kernels.hpp.)
///
///     return ATOLL_KERNEL_VARIANTS(sum_rows, <T>).at(isa);              // sum_rows_portable<T>, _avx2<T>, _avx512<T>
///     return ATOLL_KERNEL_VARIANTS_512(&count, count).at(isa);         // count and count_avx512
namespace atl {

template <class F>
struct KernelVariants {
  F portable, avx2, avx512;

  constexpr KernelVariants(F p, F narrow, F wide) : portable(p), avx2(narrow), avx512(wide) {}
  constexpr KernelVariants(F p, F wide) : portable(p), avx2(p), avx512(wide) {}
  constexpr F at(Isa isa) const { return isa == Isa::avx512 ? avx512 : isa == Isa::avx2 ? avx2 : portable; }
};

}  // namespace atl

// Files of an instruction set are compiled where the processor is of its kind.
#if defined(__x86_64__)
#define ATOLL_KERNEL_VARIANTS(name, ...) \
  ::atl::KernelVariants(&name##_portable __VA_ARGS__, &name##_avx2 __VA_ARGS__, &name##_avx512 __VA_ARGS__)
#define ATOLL_KERNEL_VARIANTS_512(portable, name, ...) ::atl::KernelVariants(portable, &name##_avx512 __VA_ARGS__)
#else
#define ATOLL_KERNEL_VARIANTS(name, ...) \
  ::atl::KernelVariants(&name##_portable __VA_ARGS__, &name##_portable __VA_ARGS__)
#define ATOLL_KERNEL_VARIANTS_512(portable, name, ...) ::atl::KernelVariants(portable, portable)
#endif
