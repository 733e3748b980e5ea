// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

template class MirrorExchange<float, MinOf>;
template class MirrorExchange<double, MinOf>;

}  // namespace atl
