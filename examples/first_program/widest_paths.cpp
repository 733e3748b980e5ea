// SPDX-License-Identifier: Apache-2.0
// The widest path from one vertex to each other as a vertex program. A path is as wide as its narrowest edge (maximum
// bottleneck, maximum capacity).
// widest_paths [GRAPH] [--ranks N]: a file with weights, or a generator's text such as kron:8
#include <algorithm>
#include <atoll/engine/vertex_program.hpp>
#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/run_program.hpp>
#include <cstdio>
#include <limits>
#include <map>
#include <queue>
#include <span>
#include <string>
#include <vector>

namespace {

using atl::Local;
using atl::Vertex;

constexpr float kNotReached = 0, kUnlimited = std::numeric_limits<float>::infinity();

// Keeps the greater width and returns whether it has changed.
struct MaxOf {
  bool operator()(float& into, float width) const {
    if (width <= into) return false;
    into = width;
    return true;
  }
};

struct Arc {
  Vertex from, to;
  float width;
};

// The serial answer: Dijkstra's algorithm, in which the widest path is finished first.
std::map<Vertex, float> widest_from(Vertex source, std::span<const Arc> arcs) {
  std::map<Vertex, std::vector<Arc>> leaving;
  for (const Arc& arc : arcs) leaving[arc.from].push_back(arc);
  std::map<Vertex, float> widths;
  std::priority_queue<std::pair<float, Vertex>> open;
  for (open.push({kUnlimited, source}); !open.empty();) {
    const auto [width, v] = open.top();
    open.pop();
    if (!widths.try_emplace(v, width).second) continue;  // was reached by a wider path
    for (const Arc& arc : leaving[v])
      if (const float through = std::min(width, arc.width); through > kNotReached) open.push({through, arc.to});
  }
  return widths;
}

void widest_paths(atl::World& world, const std::vector<std::string>& arguments) {
  const std::string name = arguments.empty() ? "kron:8" : arguments[0];
  atl::EdgeList edges = atl::is_generator(name) ? atl::generate(world, name, {.weights = atl::Weights::uniform})
                                                : atl::read_edges(world, name);
  world.agree(edges.weighted(), name + " has no weights, which are the widths. Give a graph with weights.");
  // The widest of several edges between the same two vertices counts.
  const atl::Graph graph = atl::Graph::build(world, std::move(edges), {.duplicates = atl::Duplicates::merge_max});

  Vertex source = std::numeric_limits<Vertex>::max();  // the smallest id with an edge, so that there is a path
  for (Local v = 0; v < graph.active(); ++v) source = std::min(source, graph.id_of(v));
  source = world.min(source);

  atl::VertexProgram<float, MaxOf> width(graph);
  width.start(kNotReached);
  const auto [owner, owned_index] = graph.find(source);  // collective: every rank asks, and every rank hears
  if (owner == world.rank()) width.update(graph.local_of(owned_index), kUnlimited);
  while (width.round([](float w, const auto& edge) { return std::min(w, static_cast<float>(edge.weight)); })) {
  }

  Vertex reached = 0;
  float narrowest = kUnlimited;
  for (Local v = 0; v < graph.owned(); ++v) {
    if (width[v] == kNotReached) continue;
    ++reached;
    narrowest = std::min(narrowest, width[v]);
  }
  reached = world.sum(reached);
  narrowest = world.min(narrowest);
  if (world.rank() == 0)
    std::printf("%s: %ld of %ld vertices reached from %ld, all by paths at least %.6f wide\n", name.c_str(), reached,
                graph.vertices(), source, narrowest);

  // For small graphs only: every rank gathers all edges and solves the whole problem serially.
  std::vector<Arc> mine;
  atl::with_weights(graph.out(), [&](const auto& weight) {
    for (Local v = 0; v < graph.owned(); ++v) {
      auto e = static_cast<std::size_t>(graph.out().offsets[atl::index(v)]);
      for (const Local u : graph.out().neighbours(v))
        mine.push_back({graph.id_of(v), graph.id_of(u), static_cast<float>(weight(e++))});
    }
  });
  const std::vector<Arc> all = world.all_gather_varying(std::span<const Arc>(mine));
  const std::map<Vertex, float> expected = widest_from(source, all);
  world.collective_try([&] {
    for (Local v = 0; v < graph.owned(); ++v) {
      const auto found = expected.find(graph.id_of(v));
      if (width[v] != (found == expected.end() ? kNotReached : found->second))
        throw atl::VerificationError(
            fmt::format("vertex {}: its width is {}, which is wrong", graph.id_of(v), width[v]));
    }
  });
}

}  // namespace

int main(int argc, char** argv) { return atl::run_program(argc, argv, widest_paths); }
