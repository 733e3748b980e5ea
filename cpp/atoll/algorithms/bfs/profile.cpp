// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/bfs/profile.hpp>
#include <cmath>

namespace atl {

BfsProfile BfsProfile::of(const Graph& graph, Vertex source) {
  World& world = graph.world();
  BfsResult result;
  Bfs(graph, {.depths = Depths::yes}).run(source, result);
  BfsProfile profile;
  std::vector<Vertex> vertices(static_cast<std::size_t>(result.levels), 0);
  std::vector<Edge> edges(vertices.size(), 0), degrees;
  for (Vertex v = 0; v < graph.owned(); ++v) {
    const Local local = graph.local_of(v);
    const Edge degree = local < graph.active() ? graph.out().degree(local) : 0;
    if (degree > 0) degrees.push_back(degree);
    const Vertex depth = result.depth[v];
    if (depth == kUnreachable) continue;
    ++vertices[depth];
    edges[depth] += degree;
  }
  for (std::size_t l = 0; l < vertices.size(); ++l)
    profile.levels.push_back({static_cast<double>(world.sum(vertices[l])), static_cast<double>(world.sum(edges[l]))});
  for (const Edge degree : world.all_gather_varying(std::span<const Edge>(degrees))) {
    ++profile.degrees[degree];
    profile.vertices += 1;
    profile.edges += static_cast<double>(degree);
  }
  profile.record_bytes = sizeof(Local) + (graph.ids().largest() < kNarrowIds ? 4 : sizeof(Vertex));
  return profile;
}

BfsProfile BfsProfile::scaled(double times) const {
  BfsProfile more = *this;
  more.vertices *= times;
  more.edges *= times;
  for (auto& [_, vertices] : more.degrees) vertices *= times;
  for (Level& level : more.levels) {
    if (level.vertices <= 1) continue;  // the level of the source keeps one vertex
    level.vertices *= times;
    level.edges *= times;
  }
  return more;
}

std::vector<Exchange> BfsProfile::exchanges(double ranks, bool claims) const {
  double unclaimed = 0;  // expected mirrors of all ranks: pairs of a vertex and another rank that has an edge of it
  for (const auto& [degree, vertices] : degrees)
    unclaimed -= vertices * (ranks - 1) * std::expm1(-static_cast<double>(degree) / ranks);
  std::vector<Exchange> all;
  for (const Level& level : levels) {
    const double across = level.edges * (ranks - 1) / ranks;
    const double records = !claims ? across : unclaimed > 0 ? -unclaimed * std::expm1(-across / unclaimed) : 0;
    unclaimed -= records;
    all.push_back({.records = records, .record_bytes = record_bytes, .keys = vertices / ranks});
  }
  return all;
}

}  // namespace atl
