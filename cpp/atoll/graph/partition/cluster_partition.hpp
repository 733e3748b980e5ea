// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/partition.hpp>

namespace atl {

/// Partition::hierarchy of owners_of(). Neighbours of low degree are fused, super-vertices clustered and contracted,
/// again and again, until some dozens for each rank are left; those are split along the tree of domains, and every
/// vertex goes where its cluster went. Vertices and clusters without neighbours fill what room is left.
std::vector<Rank> cluster_placement(World& world, const EdgeList& edges, const IdMap& ids, const Hierarchy& machine,
                                    bool fusion, std::map<std::string, double>* seconds);

}  // namespace atl
