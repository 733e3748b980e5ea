// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/bfs/levels.hpp>

namespace atl::bfs_tree {

/// Rules 3, 4 and 5: checks every input edge against the levels of its endpoints, and every tree edge against the
/// input. Collective; fills the counts of edges in the report. No level exceeds `depth`, which is the same on all
/// ranks.
Finding check_edges(World& world, const BfsTree& tree, const Ownership& blocks, const Tuples& tuples,
                    Array<std::int32_t> level, std::int64_t depth, BfsTreeReport& report);

}  // namespace atl::bfs_tree
