// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/all_pairs.hpp>

namespace atl {

/// Fills in what `atoll tune gemm` and `atoll model fit` stored for this value type on this machine: the blocking of
/// products, and the rates by which the model chooses a grid. Collective: a damaged file is the same error on all
/// ranks.
///
///     AllPairsOptions options = with_stored_rates(world, arcs, {.method = PairsMethod::floyd_warshall});
///     const AllPairs<float> all = all_pairs(world, arcs, options);
template <class T>
AllPairsOptions with_stored_rates(World& world, const ReplicatedCsr<T>& arcs, AllPairsOptions options);

}  // namespace atl
