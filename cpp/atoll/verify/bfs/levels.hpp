// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/verify/bfs/flaws.hpp>

/// The levels of a tree of parents, given or computed. Collective.
namespace atl::bfs_tree {

/// The level of a vertex that was not reached.
inline constexpr std::int32_t kOutside = INT32_MAX;
inline constexpr std::int64_t kMaxDepth = (std::int64_t{1} << 31) - 4;

/// Whether the given depths are the tree's levels: 0 only at the root, else one more than the parent's. Since depths
/// then decrease along parents down to the only 0, there is no cycle either.
bool depths_hold(World& world, const BfsTree& tree, const Ownership& blocks);

/// Computes levels from the parents alone. They are valid if no orphan and no cycle is found.
Finding find_levels(World& world, const BfsTree& tree, const Ownership& blocks, Array<std::int32_t>& level);

}  // namespace atl::bfs_tree
