// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/random.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/verify/breaches.hpp>
#include <atoll/verify/clustering_samples.hpp>
#include <cmath>

namespace atl {
namespace {

/// Ids of v's neighbours in either direction, ascending, each once.
std::vector<Vertex> neighbours_of(const Graph& graph, Local v) {
  std::vector<Vertex> ids;
  const auto add = [&](Local u) { ids.push_back(graph.id_of(u)); };
  for_distinct(graph.out(), v, add);
  if (graph.directed()) for_distinct(graph.in(), v, add);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Edge degree_of(const Graph& graph, Local v) {
  if (graph.directed()) return static_cast<Edge>(neighbours_of(graph, v).size());
  Edge degree = 0;
  for_distinct(graph.out(), v, [&](Local) { ++degree; });
  return degree;
}

/// Edges by direction that join two of these vertices. Collective.
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
  Breaches breaches(world);
  world.team().for_range(coefficient.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t k = a; k < b; ++k) {
      const Local v = graph.local_of(static_cast<Vertex>(k));
      const double c = coefficient[k];
      const auto d = static_cast<double>(degree_of(graph, v));
      if (!(c >= 0 && c <= 1) || (d < 2 && c != 0)) {
        breaches.note({.rule = 1, .a = graph.id_of(v), .p = static_cast<Vertex>(d), .x = c});
        continue;
      }
      // An error of 4 units in the last place; beyond 2^50 pairs any number would be whole.
      const double pairs = d * (d - 1), unit = graph.directed() ? 1 : 2, edges = c * pairs / unit;
      if (std::abs(edges - std::round(edges)) > 0x1p-51 * pairs)
        breaches.note({.rule = 2, .a = graph.id_of(v), .p = static_cast<Vertex>(d), .x = c, .y = c * pairs});
    }
  });
  Breach b = breaches.first();
  if (b.rule == 1)
    return {false, fmt::format("rule 1: vertex {} has the coefficient {} ({} neighbours; {})", b.a, b.x, b.p,
                               b.p < 2 ? "it is 0 below two" : "it lies in 0 .. 1")};
  if (b.rule == 2)
    return {false,
            fmt::format("rule 2: vertex {} with {} neighbours has the coefficient {}, {:.6g} edges between them ({})",
                        b.a, b.p, b.x, b.y, graph.directed() ? "a whole number" : "a whole number, and even")};

  const IdOrder order(world, graph.ids());
  const Vertex n = graph.vertices();
  for (Vertex i = 0; i < std::min(terms.samples, n); ++i) {
    const Vertex position =
        terms.samples >= n ? i
                           : static_cast<Vertex>(
                                 (static_cast<unsigned __int128>(random_at(terms.seed, static_cast<std::uint64_t>(i))) *
                                  static_cast<std::uint64_t>(n)) >>
                                 64);
    const Rank at = order.blocks().owner(position);
    Vertex id = at == world.rank() ? order.id_at(position - order.blocks().begin(at)) : -1;
    id = world.max(id);
    const Vertex k = graph.ids().find_here(id);
    const std::vector<Vertex> mine = k >= 0 ? neighbours_of(graph, graph.local_of(k)) : std::vector<Vertex>();
    const std::vector<Vertex> ids = world.all_gather_varying(std::span<const Vertex>(mine));
    const Edge edges = edges_among(graph, ids);
    const auto d = static_cast<double>(ids.size());
    if (k < 0) continue;
    const double right = d < 2 ? 0 : static_cast<double>(edges) / (d * (d - 1));
    const double c = coefficient[static_cast<std::size_t>(k)];
    if (std::abs(c - right) > 0x1p-50) breaches.note({.rule = 3, .a = id, .p = edges, .x = c, .y = right});
  }
  b = breaches.first();
  if (b.rule == 3)
    return {false, fmt::format("rule 3: vertex {} has the coefficient {} ({}: {} edges join two of its neighbours)",
                               b.a, b.x, b.y, b.p)};
  return {};
}

}  // namespace atl
