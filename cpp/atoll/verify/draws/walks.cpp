// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/verify/draws/drawn_edges.hpp>
#include <atoll/verify/draws/walks.hpp>
#include <set>

namespace atl {

Verdict verify_walks(const Graph& graph, std::span<const Vertex> rows, Edge length, EdgeWeighting weighting) {
  World& world = graph.world();
  Violations violations(world);
  const auto width = static_cast<std::size_t>(length) + 1;
  world.agree(rows.size() % width == 0,
              fmt::format("verify: rank {} gives {} ids of walks (a row has {}). Give whole rows.", world.rank(),
                          rows.size(), width));
  std::map<Vertex, std::set<Vertex>> steps;  // each claim once
  for (std::size_t first = 0; first < rows.size(); first += width)
    for (std::size_t k = first; k + 1 < first + width; ++k) {
      if (rows[k] != kNoVertex) {
        steps[rows[k]].insert(rows[k + 1]);
      } else if (k == first || rows[k + 1] != kNoVertex) {
        violations.note({.rule = 2, .a = rows[k + 1], .q = 1});
      }
    }
  std::vector<DrawnEdges> claims;
  for (const auto& [vertex, ends] : steps) claims.push_back({vertex, {ends.begin(), ends.end()}});
  const DrawnEdgeCheck check(graph, graph.out(), weighting);
  check.ask(claims, violations, [&](Vertex id, std::span<const Vertex> ends, const std::map<Vertex, Edge>& edges) {
    for (const Vertex end : ends) {
      if (end == kNoVertex && !edges.empty()) violations.note({.rule = 2, .a = id});
      if (end != kNoVertex && !edges.contains(end)) violations.note({.rule = 1, .a = id, .b = end});
    }
  });
  const Violation b = violations.first();
  if (b.rule == 1 && b.b == kNoVertex)
    return {false, fmt::format("rule 1: a walk comes to {} (the graph has no such vertex)", b.a)};
  if (b.rule == 1)
    return {false, fmt::format("rule 1: a walk goes from {} to {} (no edge that counts leads there)", b.a, b.b)};
  if (b.rule == 2 && b.q == 1)
    return {false, fmt::format("rule 2: a walk goes on to {} after its end (no vertex comes after that)", b.a)};
  if (b.rule == 2) return {false, fmt::format("rule 2: a walk ends at {} (an edge that counts leaves it)", b.a)};
  return {};
}

}  // namespace atl
