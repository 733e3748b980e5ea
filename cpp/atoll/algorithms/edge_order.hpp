// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// Calls f(v, u) for each edge of an undirected graph that this rank lists at a vertex whose id is not the greater one:
/// all ranks together have each edge once, parallel ones each. In the order of the lists, vertex by vertex; values of
/// edges are given in this order.
template <class F>
void for_each_edge(const Graph& graph, F&& f) {
  for (Local v = 0; v < graph.active(); ++v)
    for (const Local u : graph.out().neighbours(v))
      if (graph.id_of(v) <= graph.id_of(u)) f(v, u);
}

}  // namespace atl
