// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/all_pairs.hpp>

namespace atl {

/// What `atoll tune gemm` and `atoll model fit` kept for such values on this machine: the blocking of products, and the rates
/// that the model chooses a grid by. Collective: a damaged file is the same error on all ranks.
///
///     AllPairsOptions options = with_stored_rates(world, arcs, {.method = PairsMethod::floyd_warshall});
///     const AllPairs<float> all = all_pairs(world, arcs, options);
template <class T>
AllPairsOptions with_stored_rates(World& world, const ReplicatedCsr<T>& arcs, AllPairsOptions options);

}  // namespace atl
