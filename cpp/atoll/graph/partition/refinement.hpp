// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/topology/hierarchy.hpp>

namespace atl {

/// Moves vertices with edges to the ranks of their neighbours where that makes the walls between them cheaper, as long
/// as no rank of the machine comes to weigh more than `most`. In each round half of the vertices request; of those that
/// want to the same rank the ones that gain most go first. The same however many ranks compute it. `weight` and `owner`
/// are by local master, `load` by rank of the machine and the same on all ranks. Collective.
void refine(const Graph& graph, std::span<const Edge> weight, const Hierarchy& machine, Edge most,
            std::vector<Rank>& owner, std::vector<Edge>& load);

}  // namespace atl
