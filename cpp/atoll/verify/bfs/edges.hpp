// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/bfs/levels.hpp>

namespace atl::bfs_tree {

/// Rules 3, 4 and 5: every edge of the input against the levels of its ends, and every tree edge against the input.
/// Collective; fills the counts of edges in the report. No level is above `depth`, the same on all ranks.
Finding check_edges(World& world, const BfsTree& tree, const Ownership& blocks, const Tuples& tuples,
                    Array<std::int32_t> level, std::int64_t depth, BfsTreeReport& report);

}  // namespace atl::bfs_tree
