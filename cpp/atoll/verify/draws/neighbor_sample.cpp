// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/verify/draws/drawn_edges.hpp>
#include <atoll/verify/draws/neighbor_sample.hpp>
#include <numeric>
#include <set>

namespace atl {
namespace {

// Rules 1 and 2; returns the first that is broken, or 0.
int broken_numbering(const SampleClaim& s) {
  const auto n = static_cast<std::int64_t>(s.vertices.size());
  const auto sum = [](std::span<const std::int64_t> parts) {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  };
  const std::size_t layers = s.fanout.size();
  if (s.source.size() != s.target.size() || s.edges_by_layer.size() != layers ||
      s.vertices_by_layer.size() != layers + 1 || sum(s.vertices_by_layer) != n ||
      sum(s.edges_by_layer) != static_cast<std::int64_t>(s.source.size()))
    return 1;
  std::int64_t begin = 0, end = s.vertices_by_layer[0];
  std::size_t e = 0;
  const std::span<const std::int64_t> from = s.entering ? s.target : s.source, to = s.entering ? s.source : s.target;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::int64_t reached = end;
    for (const std::size_t last = e + static_cast<std::size_t>(s.edges_by_layer[layer]); e < last; ++e) {
      if (from[e] < 0 || from[e] >= n || to[e] < 0 || to[e] >= n) return 1;
      if (from[e] < begin || from[e] >= end || to[e] > reached) return 2;
      reached += to[e] == reached;
    }
    begin = std::exchange(end, end + s.vertices_by_layer[layer + 1]);
    if (reached != end) return 2;
  }
  const std::span<const Vertex> seeds = s.vertices.first(static_cast<std::size_t>(s.vertices_by_layer[0]));
  std::set<Vertex> known(seeds.begin(), seeds.end());
  for (const Vertex v : s.vertices.subspan(seeds.size()))
    if (!known.insert(v).second) return 2;
  return 0;
}

// The edges of each vertex of each layer but the last, by layer.
std::vector<std::vector<DrawnEdges>> by_vertex(const SampleClaim& s) {
  std::vector<std::vector<DrawnEdges>> layers(s.fanout.size());
  const std::span<const std::int64_t> from = s.entering ? s.target : s.source, to = s.entering ? s.source : s.target;
  std::size_t e = 0, begin = 0;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    for (std::int64_t k = 0; k < s.vertices_by_layer[layer]; ++k)
      layers[layer].push_back({s.vertices[begin + static_cast<std::size_t>(k)], {}});
    for (std::int64_t k = 0; k < s.edges_by_layer[layer]; ++k, ++e)
      layers[layer][static_cast<std::size_t>(from[e]) - begin].ends.push_back(
          s.vertices[static_cast<std::size_t>(to[e])]);
    begin += static_cast<std::size_t>(s.vertices_by_layer[layer]);
    for (DrawnEdges& one : layers[layer]) std::sort(one.ends.begin(), one.ends.end());
  }
  return layers;
}

}  // namespace

Verdict verify_neighbor_sample(const Graph& graph, const SampleClaim& sample) {
  World& world = graph.world();
  const int broken = world.max(broken_numbering(sample));
  if (broken == 1) return {false, "rule 1: positions or layers do not add up to the vertices and edges of the sample"};
  if (broken == 2)
    return {false,
            "rule 2: a layer has edges of vertices that the one before has not reached first, or a vertex twice"};
  Violations violations(world);
  const DrawnEdgeCheck check(graph, sample.entering ? graph.in() : graph.out(), sample.weighting);
  const auto layers = by_vertex(sample);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const Edge fanout = sample.fanout[layer];
    check.ask(layers[layer], violations,
              [&](Vertex id, std::span<const Vertex> ends, const std::map<Vertex, Edge>& edges) {
                Edge possible = 0;
                for (const auto& [end, count] : edges) possible += count;
                for (const Vertex end : ends) {
                  const auto known = edges.find(end);
                  const Edge times = std::ranges::count(ends, end);
                  if (known == edges.end())
                    violations.note({.rule = 3, .a = id, .b = end});
                  else if ((!sample.replace || fanout < 0) && times > known->second)
                    violations.note({.rule = 3, .a = id, .b = end, .p = times, .q = known->second});
                }
                const Edge right = fanout < 0        ? possible
                                   : !sample.replace ? std::min(fanout, possible)
                                   : possible > 0    ? fanout
                                                     : 0;
                if (static_cast<Edge>(ends.size()) != right)
                  violations.note({.rule = 4, .a = id, .p = static_cast<Edge>(ends.size()), .q = right});
              });
  }
  const Violation b = violations.first();
  if (b.rule == 1) return {false, fmt::format("rule 1: the sample has {} (the graph has no such vertex)", b.a)};
  if (b.rule == 3 && b.q == 0)
    return {false,
            fmt::format("rule 3: the sample has an edge of {} to {} (the graph has none that counts)", b.a, b.b)};
  if (b.rule == 3)
    return {false,
            fmt::format("rule 3: the edge between {} and {} is there {} times ({} in the graph)", b.a, b.b, b.p, b.q)};
  if (b.rule == 4) return {false, fmt::format("rule 4: vertex {} has {} edges ({} are to be drawn)", b.a, b.p, b.q)};
  return {};
}

}  // namespace atl
