// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

// Here and in mirror_exchange_min_*.cpp: each of these takes some 4 s to compile.
template class MirrorExchange<float, SumOf>;
template class MirrorExchange<double, SumOf>;
template class MirrorExchange<std::int64_t, SumOf>;

}  // namespace atl
