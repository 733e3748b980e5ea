// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/verify/greedy/matching.hpp>
#include <atoll/verify/violations.hpp>
#include <limits>

namespace atl {
namespace {

constexpr double kFree = -std::numeric_limits<double>::infinity();

}  // namespace

Verdict verify_matching(const Graph& graph, std::span<const Vertex> mate, EdgeWeighting weighting) {
  World& world = graph.world();
  world.agree(
      !graph.directed(),
      fmt::format("verify matching: {} is directed (matchings are of undirected graphs). Read it as undirected.",
                  graph.name()));
  check_one_for_each(graph, mate.size(), "mates");
  const Array<Vertex> mates = local_values(graph, mate);
  const auto owned = index(graph.owned());
  Violations violations(world);
  const auto for_masters = [&](auto&& f) {
    world.team().for_range(owned, 256, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) f(static_cast<Local>(v));
    });
  };
  const auto for_edges = [&](Local v, auto&& f) {
    graph.out().for_edges(v, [&](Local u, auto weight) {
      if (u != v) f(u, weighting == EdgeWeighting::ones ? 1.0 : static_cast<double>(weight));
    });
  };

  Array<double> weight_here(owned);  // [owned index] of the edge by which the vertex is matched
  for_masters([&](Local v) {
    double weight = kFree;
    Local other = -1;
    if (mates[v] != kNoVertex)
      for_edges(v, [&](Local u, double w) {
        if (graph.id_of(u) != mates[v]) return;
        other = u;
        weight = std::max(weight, w);
      });
    weight_here[graph.owned_index_of(v)] = weight;
    const Violation here{.a = graph.id_of(v), .b = mates[v]};
    if (mates[v] != kNoVertex && other < 0) {
      violations.note({.rule = 1, .a = here.a, .b = here.b});
    } else if (other >= 0 && mates[other] != here.a) {
      violations.note({.rule = 2, .a = here.a, .b = here.b, .p = mates[other]});
    }
  });
  const Array<double> weights = local_values(graph, std::span<const double>(weight_here.data(), owned));
  for_masters([&](Local v) {
    for_edges(v, [&](Local u, double w) {
      if (mates[v] == kNoVertex && mates[u] == kNoVertex) {
        violations.note({.rule = 3, .a = graph.id_of(v), .b = graph.id_of(u)});
      } else if (w > weights[v] && w > weights[u]) {
        violations.note(
            {.rule = 4, .a = graph.id_of(v), .b = graph.id_of(u), .x = w, .y = std::max(weights[v], weights[u])});
      }
    });
  });
  const Violation first = violations.first();
  switch (first.rule) {
    case 1:
      return {false, fmt::format("rule 1: vertex {} has the mate {} (no neighbour of it)", first.a, first.b)};
    case 2:
      return {false, fmt::format("rule 2: vertex {} has the mate {} (which has {})", first.a, first.b,
                                 first.p == kNoVertex ? "none" : std::to_string(first.p))};
    case 3:
      return {false, fmt::format("rule 3: the neighbours {} and {} have no mates", first.a, first.b)};
    case 4:
      return {false,
              fmt::format("rule 4: the edge between {} and {} weighs {} (its ends are matched by less, at most {})",
                          first.a, first.b, first.x, first.y)};
    default:
      return {};
  }
}

}  // namespace atl
