// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/halo/halo_exchange.hpp>

namespace atl {

// Here and in halo_exchange_min_*.cpp: each of these takes some 4 s to compile.
template class HaloExchange<float, SumOf>;
template class HaloExchange<double, SumOf>;
template class HaloExchange<std::int64_t, SumOf>;

}  // namespace atl
