// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/halo/halo_exchange.hpp>

namespace atl {

template class HaloExchange<std::int64_t, MinOf>;
template class HaloExchange<std::uint64_t, MinOf>;
template class HaloExchange<Local, MinOf>;

}  // namespace atl
