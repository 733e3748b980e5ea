// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/eccentricity_samples.hpp>
#include <atoll/verify/neighbourhoods.hpp>
#include <limits>

namespace atl {
namespace {

// The greatest depth of a breadth-first search from a master of one of the ranks (-1 on the others). Collective.
class Depth {
 public:
  explicit Depth(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        exchange_(graph),
        changed_(static_cast<std::size_t>(graph.locals())),
        depth_(static_cast<std::size_t>(graph.locals())) {}

  Vertex from(Local source) {
    std::fill(depth_.begin(), depth_.end(), kUnreached);
    std::vector<Local> frontier, next;
    if (source >= 0) {
      depth_[source] = 0;
      frontier.push_back(source);
    }
    Local level = 0;
    for (; world_.any(!frontier.empty()); ++level) {
      next.clear();
      for (const Local v : frontier)
        for (const Local u : graph_.out().neighbours(v)) {
          Local& depth = depth_[u];
          if (depth <= level + 1) continue;
          depth = level + 1;
          if (u < graph_.owned()) {
            next.push_back(u);
          } else {
            changed_.set_unsynchronized(static_cast<std::size_t>(u));
          }
        }
      exchange_.reduce({depth_.data(), depth_.size()}, changed_);
      for (std::size_t w = 0; w < changed_.words(); ++w)
        for (std::uint64_t bits = std::exchange(changed_.at(w), 0); bits; bits &= bits - 1)
          next.push_back(static_cast<Local>(w * 64) + std::countr_zero(bits));
      frontier.swap(next);
    }
    return level - 1;
  }

 private:
  static constexpr Local kUnreached = std::numeric_limits<Local>::max();
  const Graph& graph_;
  World& world_;
  MirrorExchange<Local, MinOf> exchange_;
  VertexBits changed_;
  Array<Local> depth_;  // [local]
};

}  // namespace

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

  Depth depth(graph);
  for_sampled(graph, terms.samples, terms.seed, [&](Vertex id, Vertex k, const std::vector<Vertex>&) {
    const Vertex right = depth.from(k >= 0 ? graph.local_of(k) : -1);
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
