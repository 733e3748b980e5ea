// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/components/component_labels.hpp>
#include <atoll/verify/flood.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {

Verdict verify_components(const Graph& graph, std::span<const Vertex> label) {
  constexpr std::size_t kGrain = 1024;
  check_one_for_each(graph, label.size(), "labels");
  World& world = graph.world();
  const Array<Vertex> labels = local_values(graph, label);
  const auto label_of = [&](Local v) { return labels[v]; };
  VertexBits joined(graph.locals());
  Violations violations(world);
  const auto for_masters = [&](auto&& f) {
    world.team().for_range(static_cast<std::size_t>(graph.owned()), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) f(static_cast<Local>(v));
    });
  };

  for_masters([&](Local v) {
    const Vertex id = graph.id_of(v), mine = label_of(v);
    if (mine > id) violations.note({.rule = 1, .a = id, .p = mine});
    if (mine == id) joined.set(v);
    for (const Local u : graph.out().neighbours(v)) {
      if (label_of(u) == mine) continue;
      const Vertex other = graph.id_of(u);
      if (id < other) {
        violations.note({.rule = 2, .a = id, .b = other, .p = mine, .q = label_of(u)});
      } else {
        violations.note({.rule = 2, .a = other, .b = id, .p = label_of(u), .q = mine});
      }
    }
  });
  Violation b = violations.first();
  if (b.rule == 1)
    return {false,
            fmt::format("rule 1: vertex {} has the label {} (the smallest id of its component is at most its own)", b.a,
                        b.p)};
  if (b.rule == 2)
    return {false,
            fmt::format("rule 2: an edge joins vertices {} and {}, whose labels are {} and {}", b.a, b.b, b.p, b.q)};

  flood(graph, joined, [&](Local v, auto&& mark) {
    for (const Local u : graph.out().neighbours(v)) mark(u);
    if (graph.directed())
      for (const Local u : graph.in().neighbours(v)) mark(u);
  });
  for_masters([&](Local v) {
    if (!joined.test(v)) violations.note({.rule = 3, .a = graph.id_of(v), .p = label_of(v)});
  });
  b = violations.first();
  if (b.rule == 3)
    return {false,
            fmt::format("rule 3: vertex {} has the label {}, but no path joins it and a vertex {}", b.a, b.p, b.p)};
  return {};
}

}  // namespace atl
