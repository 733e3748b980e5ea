// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/biconnected_components/disjoint_sets.hpp>
#include <atoll/graph/graph.hpp>

namespace atl {

std::vector<NodePair> DisjointSets::pairs() const {
  std::vector<NodePair> pairs;
  for_pairs([&](NodePair pair) { pairs.push_back(pair); });
  return pairs;
}

void DisjointSets::unite_over_ranks(World& world) {
  if (world.size() == 1) return;
  for (Rank step = 1; step < world.size(); step *= 2) {
    std::vector<std::vector<NodePair>> outgoing(static_cast<std::size_t>(world.size()));
    if (world.rank() % (2 * step) == step) outgoing[static_cast<std::size_t>(world.rank() - step)] = pairs();
    for (const std::vector<NodePair>& part : world.exchange(std::move(outgoing)))
      for (const auto [a, b] : part) unite(a, b);
  }
  std::vector<NodePair> all;
  if (world.rank() == 0) all = pairs();
  auto count = static_cast<Vertex>(all.size());
  world.broadcast(std::span(&count, 1), 0);
  all.resize(index(count));
  world.broadcast(std::span(all), 0);
  // Rank 0 unites anew as well: the order decides which pair links which node.
  start(world.team());
  for (const auto [a, b] : all) unite(a, b);
}

}  // namespace atl
