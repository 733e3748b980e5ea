// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/clustering_coefficient.hpp>

namespace atl {

/// What clustering_coefficient() does on one rank. InputError if the graph is spread over several. Memory beside the graph:
/// 5 bytes for each pair of neighbours, and for each thread 9 or 17 (directed) a vertex.
ClusteringResult clustering_local(const Graph& graph);

/// f(neighbour, directions) for each of a master's, once, itself left out; an undirected edge has two directions.
template <class F>
void for_neighbours(const Graph& graph, Local self, F&& f) {
  const auto out = graph.out().neighbours(self);
  const auto in = graph.directed() ? graph.in().neighbours(self) : std::span<const Local>{};
  for (std::size_t i = 0, k = 0; i < out.size() || k < in.size();) {  // both are sorted
    const bool from_out = i < out.size() && (k == in.size() || out[i] <= in[k]);
    const bool from_in = k < in.size() && (i == out.size() || in[k] <= out[i]);
    const Local u = from_out ? out[i] : in[k];
    while (i < out.size() && out[i] == u) ++i;
    while (k < in.size() && in[k] == u) ++k;
    if (u != self) f(u, static_cast<std::uint8_t>(graph.directed() ? from_out + from_in : 2));
  }
}

}  // namespace atl
