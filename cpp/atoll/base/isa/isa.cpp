// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/isa/isa.hpp>
#include <cstdlib>

namespace atl {

Isa machine_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  // vbmi2 brings byte and word compress; every processor since 2019 that has the rest has it too.
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2"))
    return Isa::avx512;
  if (avx2) return Isa::avx2;
#endif
  return Isa::portable;
}

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::portable:
      return "portable";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "?";
}

Isa chosen_isa() {
  const char* wish = std::getenv("ATOLL_ISA");
  const Isa best = machine_isa();
  if (!wish || !*wish) return best;
  for (Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
    if (name_of(isa) != wish) continue;
    if (isa > best)
      throw UsageError(fmt::format("ATOLL_ISA is {} (this processor has {} at most). Unset it.", wish, name_of(best)));
    return isa;
  }
  throw UsageError(fmt::format("ATOLL_ISA is {} (known: portable, avx2, avx512). Unset it or name one.", wish));
}

}  // namespace atl
