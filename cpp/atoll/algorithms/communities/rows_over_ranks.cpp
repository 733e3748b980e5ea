// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/communities/rows_over_ranks.hpp>

namespace atl {
namespace {

Blocks blocks_of(World& world, Vertex rows) {
  std::vector<Vertex> first{0};
  for (const Vertex count : world.all_gather(rows)) first.push_back(first.back() + count);
  return Blocks(std::move(first));
}

}  // namespace

RowsOverRanks::RowsOverRanks(const Graph& graph)
    : rank_(graph.world().rank()),
      blocks_(blocks_of(graph.world(), graph.active())),
      exchange_(GraphView::all_of(graph)),
      of_(index(graph.locals()), Local{-1}) {
  check(blocks_.count() <= INT32_MAX,
        "communities: {}: {} vertices have an edge (at most {} may). Use a smaller graph.", graph.name(),
        blocks_.count(), INT32_MAX);
  for (Local v = 0; v < graph.active(); ++v) of_[v] = begin() + v;
  exchange_.broadcast_all({of_.data(), of_.size()});
}

}  // namespace atl
