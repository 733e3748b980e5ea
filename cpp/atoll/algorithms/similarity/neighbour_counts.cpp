// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/similarity/neighbour_counts.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
namespace {

constexpr std::size_t kCountGrain = 512;

Array<Local> count_of(const Graph& graph, const Csr& lists) {
  Array<Local> counts(index(graph.locals()), 0);
  graph.world().team().for_range(index(graph.active()), kCountGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      for_distinct_neighbours(lists, static_cast<Local>(v), [&](Local) { ++counts[v]; });
  });
  broadcast_to_mirrors(graph, std::span(counts.data(), counts.size()));
  return counts;
}

}  // namespace

NeighbourCounts::NeighbourCounts(const Graph& graph)
    : neighbours_(count_of(graph, graph.out())),
      followers_(graph.directed() ? count_of(graph, graph.in()) : Array<Local>()) {}

}  // namespace atl
