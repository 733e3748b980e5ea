// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// Returns the graph if its World has one rank; else throws InputError, as the one-rank forms do not support mirrors.
inline const Graph& on_one_rank(const Graph& graph, const char* algorithm) {
  check(graph.world().size() == 1, "{}: {} is spread over {} ranks (the local form works on one). Use one rank.",
        algorithm, graph.name(), graph.world().size());
  return graph;
}

}  // namespace atl
