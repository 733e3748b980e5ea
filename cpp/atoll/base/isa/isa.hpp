// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace atl {

/// The instruction sets for which kernels exist, each including the ones before it.
enum class Isa { portable, avx2, avx512 };

/// The best set of this processor, or the lower one that ATOLL_ISA names; asked once where kernels are chosen.
/// Throws UsageError when ATOLL_ISA names no set or one that this processor lacks.
Isa chosen_isa();
/// The best set of this processor.
Isa machine_isa();
std::string_view name_of(Isa isa);

}  // namespace atl
