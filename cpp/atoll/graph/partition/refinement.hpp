// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/topology/cost.hpp>

namespace atl {

/// Moves vertices to the ranks of their neighbours where that lowers the latency of their edges by `cost`, as long as
/// no rank of the machine exceeds a load of `most`. In each round half of the vertices request a move; requests for the
/// same rank are granted by falling gain. The result does not depend on the ranks that compute it. `weight` and `owner`
/// are by local master, `load` by rank of the machine and the same on all ranks. Collective.
void refine(const Graph& graph, std::span<const Edge> weight, const Hierarchy& machine, const Cost& cost, Edge most,
            std::vector<Rank>& owner, std::vector<Edge>& load);

}  // namespace atl
