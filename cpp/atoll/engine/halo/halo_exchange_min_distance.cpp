// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/halo/halo_exchange.hpp>

namespace atl {

template class HaloExchange<float, MinOf>;
template class HaloExchange<double, MinOf>;

}  // namespace atl
