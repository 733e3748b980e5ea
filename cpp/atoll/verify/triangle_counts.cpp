// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/neighbourhoods.hpp>
#include <atoll/verify/triangle_counts.hpp>

namespace atl {
namespace {

constexpr std::size_t kTriangleGrain = 256;

/// Twice the number of pairs of these vertices joined by an edge. Collective.
Edge joined(const Graph& graph, const std::vector<Vertex>& ids) {
  Edge ends = 0;
  for (const Vertex id : ids) {
    const Vertex k = graph.ids().find_here(id);
    if (k < 0) continue;
    for_neighbours(graph, graph.local_of(k),
                   [&](Local u) { ends += std::binary_search(ids.begin(), ids.end(), graph.id_of(u)); });
  }
  return graph.world().sum(ends);
}

std::string describe(const Violation& b) {
  switch (b.rule) {
    case 1:
      return fmt::format("rule 1: vertex {} has {} triangles (0 or more, and at most {} with its neighbours' degrees)",
                         b.a, b.p, b.q);
    case 2:
      return fmt::format(
          "rule 2: vertex {} has {} triangles (each is one of two of its neighbours, which have {} in all)", b.a, b.p,
          b.q);
    default:
      return fmt::format("rule 4: vertex {} has {} triangles ({} pairs of its neighbours are joined by an edge)", b.a,
                         b.p, b.q);
  }
}

}  // namespace

Verdict verify_triangles(const Graph& graph, std::span<const Vertex> triangles, const TriangleTerms& terms) {
  check_one_for_each(graph, triangles.size(), "counts");
  World& world = graph.world();
  Violations violations(world);
  const auto for_masters = [&](auto&& f) {
    world.team().for_range(triangles.size(), kTriangleGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t k = a; k < b; ++k) f(k, graph.local_of(static_cast<Vertex>(k)));
    });
  };
  std::vector<Edge> by_owned_index(triangles.size());
  for_masters([&](std::size_t k, Local v) { by_owned_index[k] = degree_of(graph, v); });
  const Array<Edge> degree = local_values(graph, std::span<const Edge>(by_owned_index));
  for_masters([&](std::size_t k, Local v) {
    Edge most = 0;
    const Edge mine = degree[v];
    for_neighbours(graph, v, [&](Local u) { most += std::min(mine, degree[u]) - 1; });
    if (triangles[k] < 0 || triangles[k] > most / 2)
      violations.note({.rule = 1, .a = graph.id_of(v), .p = triangles[k], .q = most / 2});
  });
  if (const Violation b = violations.first(); b.rule) return {false, describe(b)};  // the others cannot be summed

  const Array<Vertex> count = local_values(graph, triangles);
  for_masters([&](std::size_t k, Local v) {
    Vertex near = 0;
    for_neighbours(graph, v, [&](Local u) { near += count[u]; });
    if (2 * triangles[k] > near) violations.note({.rule = 2, .a = graph.id_of(v), .p = triangles[k], .q = near});
  });
  if (const Violation b = violations.first(); b.rule) return {false, describe(b)};

  Vertex sum = 0;
  for (const Vertex t : triangles) sum += t;
  sum = world.sum(sum);
  if (sum % 3 != 0 || (terms.total && *terms.total != sum / 3))
    return {false, fmt::format("rule 3: the counts sum to {} ({})", sum,
                               terms.total ? fmt::format("three times the total of {}", *terms.total)
                                           : "each triangle counts three times")};

  for_sampled(graph, terms.samples, terms.seed, [&](Vertex id, Vertex k, const std::vector<Vertex>& ids) {
    const Vertex right = joined(graph, ids) / 2;
    if (k >= 0 && triangles[k] != right) violations.note({.rule = 4, .a = id, .p = triangles[k], .q = right});
  });
  if (const Violation b = violations.first(); b.rule) return {false, describe(b)};
  return {};
}

}  // namespace atl
