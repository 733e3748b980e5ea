// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/rows_over_ranks.hpp>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kTargetsGrain = 1 << 14;

Blocks blocks_of(World& world, Vertex rows) {
  std::vector<Vertex> first{0};
  for (const Vertex count : world.all_gather(rows)) first.push_back(first.back() + count);
  return Blocks(std::move(first));
}

}  // namespace

RowsOverRanks::RowsOverRanks(const Graph& graph)
    : world_(graph.world()),
      rank_(world_.rank()),
      blocks_(blocks_of(world_, graph.active())),
      exchange_(GraphView::all_of(graph)),
      of_(index(graph.locals()), Local{-1}) {
  check(blocks_.count() <= INT32_MAX,
        "{}: {} vertices have an edge (at most {} may, to be numbered for rank 0). Use a smaller graph.", graph.name(),
        blocks_.count(), INT32_MAX);
  for (Local v = 0; v < graph.active(); ++v) of_[v] = begin() + v;
  exchange_.broadcast_all({of_.data(), of_.size()});
}

Csr RowsOverRanks::replicate(const Csr& lists) const {
  const std::size_t rows = index(blocks_.size(rank_)), edges = static_cast<std::size_t>(lists.offsets[rows]);
  std::vector<Edge> lengths(rows);
  for (std::size_t v = 0; v < rows; ++v) lengths[v] = lists.offsets[v + 1] - lists.offsets[v];
  Csr all;
  {
    const std::vector<Edge> gathered = world_.all_gather_varying(std::span<const Edge>(lengths));
    all.offsets = Array<Edge>(gathered.size() + 1);
    all.offsets[0] = 0;
    std::inclusive_scan(gathered.begin(), gathered.end(), all.offsets.begin() + 1);
  }
  std::vector<Local> targets(edges);
  world_.team().for_range(edges, kTargetsGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t e = a; e < b; ++e) targets[e] = of_[lists.targets[e]];
  });
  const std::vector<Local> gathered = world_.all_gather_varying(std::span<const Local>(targets));
  all.targets = Array<Local>(gathered.size());
  std::ranges::copy(gathered, all.targets.begin());
  return all;
}

}  // namespace atl
