// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/clustering_samples.hpp>
#include <atoll/verify/neighbourhoods.hpp>
#include <cmath>

namespace atl {
namespace {

/// Number of directed edges between these vertices. Collective.
Edge edges_among(const Graph& graph, const std::vector<Vertex>& ids) {
  World& world = graph.world();
  Edge edges = 0;
  for (const Vertex id : ids) {
    const Vertex k = graph.ids().find_here(id);
    if (k < 0) continue;
    for_distinct(graph.out(), graph.local_of(k),
                 [&](Local u) { edges += std::binary_search(ids.begin(), ids.end(), graph.id_of(u)); });
  }
  return world.sum(edges);
}

}  // namespace

Verdict verify_clustering(const Graph& graph, std::span<const double> coefficient, const ClusteringTerms& terms) {
  constexpr std::size_t kGrain = 256;
  check_one_for_each(graph, coefficient.size(), "coefficients");
  World& world = graph.world();
  Violations violations(world);
  world.team().for_range(coefficient.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t k = a; k < b; ++k) {
      const Local v = graph.local_of(static_cast<Vertex>(k));
      const double c = coefficient[k];
      const auto d = static_cast<double>(degree_of(graph, v));
      if (!(c >= 0 && c <= 1) || (d < 2 && c != 0)) {
        violations.note({.rule = 1, .a = graph.id_of(v), .p = static_cast<Vertex>(d), .x = c});
        continue;
      }
      // Allows an error of 4 units in the last place; beyond 2^50 pairs any number would be whole.
      const double pairs = d * (d - 1), unit = graph.directed() ? 1 : 2, edges = c * pairs / unit;
      if (std::abs(edges - std::round(edges)) > 0x1p-51 * pairs)
        violations.note({.rule = 2, .a = graph.id_of(v), .p = static_cast<Vertex>(d), .x = c, .y = c * pairs});
    }
  });
  Violation b = violations.first();
  if (b.rule == 1)
    return {false, fmt::format("rule 1: vertex {} has the coefficient {} ({} neighbours; {})", b.a, b.x, b.p,
                               b.p < 2 ? "it is 0 below two" : "it lies in 0 .. 1")};
  if (b.rule == 2)
    return {false,
            fmt::format("rule 2: vertex {} with {} neighbours has the coefficient {}, {:.6g} edges between them ({})",
                        b.a, b.p, b.x, b.y, graph.directed() ? "a whole number" : "a whole number, and even")};

  for_sampled(graph, terms.samples, terms.seed, [&](Vertex id, Vertex k, const std::vector<Vertex>& ids) {
    const Edge edges = edges_among(graph, ids);
    const auto d = static_cast<double>(ids.size());
    if (k < 0) return;
    const double right = d < 2 ? 0 : static_cast<double>(edges) / (d * (d - 1));
    const double c = coefficient[k];
    if (std::abs(c - right) > 0x1p-50) violations.note({.rule = 3, .a = id, .p = edges, .x = c, .y = right});
  });
  b = violations.first();
  if (b.rule == 3)
    return {false, fmt::format("rule 3: vertex {} has the coefficient {} ({}: {} edges join two of its neighbours)",
                               b.a, b.x, b.y, b.p)};
  return {};
}

}  // namespace atl
