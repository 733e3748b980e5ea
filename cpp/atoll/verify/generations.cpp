// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/generations.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {
namespace {

constexpr std::size_t kGenerationGrain = 1024;

}  // namespace

Verdict verify_generations(const Graph& graph, std::span<const Vertex> generation) {
  check_one_for_each(graph, generation.size(), "generations");
  const Array<Vertex> of = local_values(graph, generation);
  Violations violations(graph.world());
  graph.world().team().for_range(index(graph.owned()), kGenerationGrain, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      bool behind = false;
      Vertex expected = 0;
      if (v < graph.active())
        for (const Local u : graph.in().neighbours(v)) {
          behind |= of[u] == -1;
          expected = std::max(expected, of[u] + 1);
        }
      if (behind != (of[v] == -1)) {
        violations.note({.rule = 1, .a = graph.id_of(v), .p = of[v]});
      } else if (!behind && of[v] != expected) {
        violations.note({.rule = 2, .a = graph.id_of(v), .p = of[v], .q = expected});
      }
    }
  });
  const Violation b = violations.first();
  if (b.rule == 1 && b.p == -1)
    return {false, fmt::format("rule 1: vertex {} is of generation -1, but no edge enters it from such a vertex", b.a)};
  if (b.rule == 1)
    return {false,
            fmt::format("rule 1: vertex {} is of generation {}, but an edge enters it from a vertex of generation -1",
                        b.a, b.p)};
  if (b.rule == 2)
    return {false,
            fmt::format("rule 2: vertex {} is of generation {} (the tails of its edges make {})", b.a, b.p, b.q)};
  return {};
}

}  // namespace atl
