// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/runtime/world.hpp>
#include <vector>

namespace atl {

/// Gathers row s of distributed distances on every rank. Collective.
///
///     const std::vector<float> from_s = row_of(world, d, s);
template <class T>
std::vector<T> row_of(World& world, const Distances<T>& d, std::int64_t s);

}  // namespace atl
