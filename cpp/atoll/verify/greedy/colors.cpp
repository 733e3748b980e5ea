// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/verify/greedy/colors.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {

Verdict verify_colors(const Graph& graph, std::span<const Vertex> color) {
  World& world = graph.world();
  world.agree(!graph.directed(),
              fmt::format("verify coloring: {} is directed (colours are of undirected graphs). Read it as undirected.",
                          graph.name()));
  check_one_for_each(graph, color.size(), "colours");
  const Array<Vertex> colors = local_values(graph, color);
  Violations violations(world);
  world.team().for_range(index(graph.owned()), 256, [&](int, std::size_t a, std::size_t b) {
    std::vector<Vertex> of_neighbours;
    for (std::size_t at = a; at < b; ++at) {
      const auto v = static_cast<Local>(at);
      of_neighbours.clear();
      for_distinct(graph.out(), v, [&](Local u) {
        of_neighbours.push_back(colors[u]);
        if (colors[u] == colors[v])
          violations.note({.rule = 2, .a = graph.id_of(v), .b = graph.id_of(u), .p = colors[v]});
      });
      const auto neighbours = static_cast<Vertex>(of_neighbours.size());
      if (colors[v] < 0 || colors[v] > neighbours) {
        violations.note({.rule = 1, .a = graph.id_of(v), .p = colors[v], .q = neighbours});
        continue;
      }
      std::sort(of_neighbours.begin(), of_neighbours.end());
      Vertex least = 0;  // that no neighbour has
      for (const Vertex one : of_neighbours) least += one == least;
      if (least < colors[v]) violations.note({.rule = 3, .a = graph.id_of(v), .p = colors[v], .q = least});
    }
  });
  const Violation first = violations.first();
  switch (first.rule) {
    case 1:
      return {false, fmt::format("rule 1: vertex {} has the colour {} (from 0 to {}, the number of its neighbours)",
                                 first.a, first.p, first.q)};
    case 2:
      return {false, fmt::format("rule 2: the neighbours {} and {} have the colour {}", first.a, first.b, first.p)};
    case 3:
      return {false,
              fmt::format("rule 3: vertex {} has the colour {} (no neighbour has {})", first.a, first.p, first.q)};
    default:
      return {};
  }
}

}  // namespace atl
