// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/biconnected_components/biconnected_components.hpp>
#include <atoll/algorithms/biconnected_components/block_search.hpp>
#include <atoll/algorithms/edge_order.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
namespace {

constexpr std::size_t kOwnedGrain = 8192;

const Graph& undirected(const Graph& graph) {
  check(!graph.directed(),
        "biconnected components: {} is directed (biconnected components are of undirected graphs). Read it as "
        "undirected.",
        graph.name());
  return graph;
}

// Whether a single edge joins v to the head of its block, which nothing else is in.
bool is_bridge(const Graph& graph, const BlockSearch& search, Local v) {
  const Local head = search.head(search.block(search.node_of(v)));
  Local edges = 0;
  for (const Local u : graph.out().neighbours(v)) edges += search.node_of(u) == head;
  return edges == 1;
}

}  // namespace

BiconnectedComponents::BiconnectedComponents(const Graph& graph)
    : graph_(undirected(graph)), search_(std::make_unique<BlockSearch>(graph)) {}

BiconnectedComponents::~BiconnectedComponents() = default;

void BiconnectedComponents::run(BiconnectedComponentsResult& result) {
  World& world = graph_.world();
  search_->run();
  const std::size_t owned = index(graph_.owned());
  for (Array<Vertex>* column : {&result.blocks, &result.articulation, &result.bridge, &result.block, &result.head})
    if (column->size() != owned) *column = Array<Vertex>(owned);
  std::atomic<Vertex> points{0}, bridges{0};
  world.team().for_range(owned, kOwnedGrain, [&](int, std::size_t a, std::size_t b) {
    Vertex points_here = 0, bridges_here = 0;
    for (std::size_t k = a; k < b; ++k) {
      const Local v = graph_.local_of(static_cast<Vertex>(k));
      const bool active = v < graph_.active();  // others are no nodes, on one rank
      const Local node = active ? search_->node_of(v) : -1, block = active ? search_->block(node) : -1;
      result.blocks[k] = active ? search_->blocks(node) : 0;
      result.articulation[k] = result.blocks[k] > 1;
      result.block[k] = block < 0 ? -1 : search_->id_of(search_->least(block));
      result.head[k] = block < 0 ? -1 : search_->id_of(search_->head(block));
      points_here += result.articulation[k];
      result.bridge[k] = block >= 0 && search_->others(block) == 1 && is_bridge(graph_, *search_, v);
      bridges_here += result.bridge[k];
    }
    points += points_here;
    bridges += bridges_here;
  });
  result.articulation_points = world.sum(points.load());
  result.bridges = world.sum(bridges.load());
  result.components = result.largest = 0;
  for (Local block = 0; block < static_cast<Local>(search_->nodes()); ++block)
    if (const Vertex others = search_->others(block); others > 0) {
      ++result.components;
      result.largest = std::max(result.largest, others + 1);
    }
}

std::size_t BiconnectedComponents::memory_bytes() const { return search_->memory_bytes(); }

BiconnectedComponentsResult biconnected_components(const Graph& graph) {
  BiconnectedComponentsResult result;
  BiconnectedComponents(graph).run(result);
  return result;
}

Array<Vertex> edge_blocks(const Graph& graph, std::span<const Vertex> block, std::span<const Vertex> head) {
  struct Named {
    Vertex block, head;
  };
  Array<Named> named(index(graph.locals()));
  for (Vertex k = 0; k < graph.owned(); ++k) named[graph.local_of(k)] = {block[index(k)], head[index(k)]};
  broadcast_to_mirrors(graph, std::span(named.data(), named.size()));
  std::size_t count = 0;
  for_each_edge(graph, [&](Local, Local) { ++count; });
  Array<Vertex> edges(count);
  count = 0;
  for_each_edge(graph, [&](Local v, Local u) {
    const bool is_of_v = named[v].block == named[u].block || named[v].head == graph.id_of(u);
    edges[count++] = named[is_of_v ? v : u].block;
  });
  return edges;
}

}  // namespace atl
