// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

template class MirrorExchange<std::int64_t, MinOf>;
template class MirrorExchange<std::uint64_t, MinOf>;
template class MirrorExchange<Local, MinOf>;

}  // namespace atl
