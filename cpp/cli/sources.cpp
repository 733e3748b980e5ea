// SPDX-License-Identifier: Apache-2.0
#include "sources.hpp"

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/id_order.hpp>

#include "graph_input.hpp"

namespace atl::cli {

std::vector<Vertex> draw_sources(const Graph& graph, int count, std::uint64_t seed) {
  World& world = graph.world();
  std::vector<char> natural;
  Vertex mine_active = 0;
  for (Vertex k = 0; k < graph.owned(); ++k) {
    natural.push_back(has_edges(graph, graph.local_of(k)));
    mine_active += natural.back();
  }
  const IdOrder order(world, graph.ids());
  const std::vector<char> active = order.arrange(std::span<const char>(natural));
  const auto wanted = static_cast<std::size_t>(std::min<Vertex>(count, world.sum(mine_active)));
  std::vector<Vertex> drawn, sources;
  for (std::uint64_t i = 0; sources.size() < wanted; ++i) {
    const auto v = static_cast<Vertex>(
        (static_cast<unsigned __int128>(random_at(seed, i)) * static_cast<std::uint64_t>(graph.vertices())) >> 64);
    if (std::find(drawn.begin(), drawn.end(), v) != drawn.end()) continue;
    drawn.push_back(v);
    const Vertex k = v - order.blocks().begin(world.rank());
    const bool mine = order.blocks().owner(v) == world.rank();
    const Vertex id = world.max(mine && active[static_cast<std::size_t>(k)] ? order.id_at(k) : -1);
    if (id >= 0) sources.push_back(id);
  }
  return sources;
}

}  // namespace atl::cli
