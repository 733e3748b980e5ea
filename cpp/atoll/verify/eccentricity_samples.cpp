// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/eccentricity_samples.hpp>
#include <atoll/verify/level_search.hpp>
#include <atoll/verify/neighbourhoods.hpp>

namespace atl {
Verdict verify_eccentricity(const Graph& graph, std::span<const Vertex> eccentricity, const EccentricityTerms& terms) {
  check(!graph.directed(),
        "verify eccentricity: {} is directed (eccentricities are of undirected graphs). Read it as "
        "undirected.",
        graph.name());
  check_one_for_each(graph, eccentricity.size(), "eccentricities");
  const bool exact = terms.values == EccentricityValues::exact;
  const Array<Vertex> local = local_values(graph, eccentricity);
  const auto at = [&](Local v) { return local[v]; };
  Violations violations(graph.world());
  for (Local v = 0; v < graph.owned(); ++v) {
    const Vertex e = at(v), neighbours = degree_of(graph, v);
    if (e < 0 || (exact && (e >= graph.vertices() || (e == 0) != (neighbours == 0))))
      violations.note({.rule = 1, .a = graph.id_of(v), .p = e, .q = neighbours});
    if (!exact) continue;
    for_distinct(graph.out(), v, [&](Local u) {
      if (at(u) - e > 1) violations.note({.rule = 2, .a = graph.id_of(v), .b = graph.id_of(u), .p = e, .q = at(u)});
    });
  }
  Violation b = violations.first();
  if (b.rule == 1)
    return {false,
            fmt::format("rule 1: vertex {} with {} neighbours has the eccentricity {} (0 without a neighbour, else "
                        "1 to {})",
                        b.a, b.q, b.p, graph.vertices() - 1)};
  if (b.rule == 2)
    return {false,
            fmt::format("rule 2: vertex {} has the eccentricity {} and its neighbour {} has {} (they differ by at "
                        "most 1)",
                        b.a, b.p, b.b, b.q)};

  LevelSearch search(graph, graph.out());
  for_sampled(graph, terms.samples, terms.seed, [&](Vertex id, Vertex k, const std::vector<Vertex>&) {
    const Vertex right = search.from(k >= 0 ? graph.local_of(k) : -1, [](Local, Vertex) {});
    if (k < 0) return;
    const Vertex e = eccentricity[k];
    const bool holds = exact ? e == right : terms.values == EccentricityValues::lower_bounds ? e <= right : e >= right;
    if (!holds) violations.note({.rule = 3, .a = id, .p = e, .q = right});
  });
  b = violations.first();
  if (b.rule == 3)
    return {false,
            fmt::format("rule 3: vertex {} has the eccentricity {} (a search from it is {} deep)", b.a, b.p, b.q)};
  return {};
}

}  // namespace atl
