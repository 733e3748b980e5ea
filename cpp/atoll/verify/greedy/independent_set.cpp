// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/greedy/independent_set.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {

Verdict verify_independent_set(const Graph& graph, std::span<const Vertex> member) {
  World& world = graph.world();
  world.agree(
      !graph.directed(),
      fmt::format("verify mis: {} is directed (independent sets are of undirected graphs). Read it as undirected.",
                  graph.name()));
  check_one_for_each(graph, member.size(), "values");
  const Array<Vertex> members = local_values(graph, member);
  Violations violations(world);
  world.team().for_range(index(graph.owned()), 256, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t at = a; at < b; ++at) {
      const auto v = static_cast<Local>(at);
      if (members[v] != 0 && members[v] != 1) {
        violations.note({.rule = 1, .a = graph.id_of(v), .p = members[v]});
        continue;
      }
      bool has_member = false;
      for_distinct(graph.out(), v, [&](Local u) {
        if (members[u] != 1) return;
        has_member = true;
        if (members[v] == 1) violations.note({.rule = 2, .a = graph.id_of(v), .b = graph.id_of(u)});
      });
      if (members[v] == 0 && !has_member) violations.note({.rule = 3, .a = graph.id_of(v)});
    }
  });
  const Violation first = violations.first();
  switch (first.rule) {
    case 1:
      return {false, fmt::format("rule 1: vertex {} has the value {} (1 of a member, else 0)", first.a, first.p)};
    case 2:
      return {false, fmt::format("rule 2: vertices {} and {} are members (and neighbours)", first.a, first.b)};
    case 3:
      return {false, fmt::format("rule 3: vertex {} is no member (and has no neighbour that is one)", first.a)};
    default:
      return {};
  }
}

}  // namespace atl
