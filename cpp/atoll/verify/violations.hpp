// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/verify/verdict.hpp>
#include <tuple>

/// Shared by checks of vertex values: the first violation of a rule on any rank, and the broadcast of values to
/// mirrors.
///
///     const Array<double> x = local_values(graph, scores);     // [local], from values by owned index
///     Violations violations(graph.world());
///     ... violations.note({.rule = 2, .a = graph.id_of(v), .x = x[v]});      // any thread
///     if (const Violation b = violations.first(); b.rule) return {false, fmt::format(.., b.a, b.x)};
namespace atl {

/// A rule broken at a vertex or an edge. The lowest one is reported; rule 0 means none.
struct Violation {
  int rule = 0;
  Vertex a = kNoVertex, b = kNoVertex;  ///< original ids
  Vertex p = 0, q = 0;                  ///< further values for the message
  double x = 0, y = 0, z = 0;

  bool is_before(const Violation& other) const {
    if (rule == 0 || other.rule == 0) return rule != 0;
    return std::tie(rule, a, b, p, q, x, y, z) <
           std::tie(other.rule, other.a, other.b, other.p, other.q, other.x, other.y, other.z);
  }
};

class Violations {
 public:
  explicit Violations(World& world) : world_(world), mine_(static_cast<std::size_t>(world.team().size())) {}
  void note(const Violation& violation) {
    Violation& first = mine_[Team::this_thread()].violation;
    if (violation.is_before(first)) first = violation;
  }
  /// The first violation on all ranks. Collective.
  Violation first() const {
    const auto lower = [](const Violation& s, const Violation& t) { return t.is_before(s) ? t : s; };
    Violation first;
    for (const Padded& p : mine_) first = lower(first, p.violation);
    return world_.fold(first, lower);
  }

 private:
  struct alignas(128) Padded {
    Violation violation;
  };
  World& world_;
  std::vector<Padded> mine_;
};

/// Throws InputError, the same on all ranks, unless each rank passes one value per owned vertex. Collective.
inline void check_one_for_each(const Graph& graph, std::size_t values, const char* what) {
  World& world = graph.world();
  world.agree(values == static_cast<std::size_t>(graph.owned()),
              fmt::format("verify: rank {} gives {} {} (it owns {} vertices of {}). Give one for each.", world.rank(),
                          values, what, graph.owned(), graph.name()));
}

/// Values in the order of owned indices, as an array by local index, mirrors included. Collective; each value travels
/// once to each rank that has its mirror.
template <Plain T>
Array<T> local_values(const Graph& graph, std::span<const T> by_owned_index) {
  Array<T> values(static_cast<std::size_t>(graph.locals()), T{});
  for (std::size_t k = 0; k < by_owned_index.size(); ++k)
    values[graph.local_of(static_cast<Vertex>(k))] = by_owned_index[k];
  VertexBits all(graph.locals());
  all.set_all();
  MirrorExchange<T, MinOf>(graph).broadcast({values.data(), values.size()}, all);
  return values;
}

/// Calls f(neighbour) once for each distinct vertex in v's sorted list, except v.
template <class F>
void for_distinct(const Csr& lists, Local v, F&& f) {
  Local before = -1;
  for (const Local u : lists.neighbours(v)) {
    if (u != v && u != before) f(u);
    before = u;
  }
}

}  // namespace atl
