// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/partition.hpp>

namespace atl {

/// Partition::hierarchy of owners_of(), a multilevel partition. Neighbours of low degree are fused to super-vertices;
/// these are clustered and contracted repeatedly until a few dozen per rank are left. These are split along the tree of
/// domains, and every vertex gets the rank of its cluster. Vertices and clusters without neighbours fill the remaining
/// capacity.
std::vector<Rank> cluster_placement(World& world, const EdgeList& edges, const IdMap& ids, const Hierarchy& machine,
                                    bool fusion, std::map<std::string, double>* seconds);

}  // namespace atl
