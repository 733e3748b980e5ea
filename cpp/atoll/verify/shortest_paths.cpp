// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/breaches.hpp>
#include <atoll/verify/flood.hpp>
#include <atoll/verify/shortest_paths.hpp>
#include <cmath>
#include <limits>

// The rules: Graph500 specification, section "Validation".

namespace atl {
namespace {

constexpr std::size_t kGrain = 1024;

/// What can be wrong, in the order in which it is named.
enum Rule : int {
  source_value = 1,  // rule 2
  value,             // rule 2
  source_parent,     // rule 1
  stray_parent,      // rule 1: not reached, but it has a parent
  no_parent,         // rule 1
  no_edge,           // rule 5
  tree_edge,         // rule 2
  no_tight_edge,     // rule 2, without parents
  long_edge,         // rule 3
  leaving_edge,      // rule 4
  unhung,            // rule 1
};

struct Unit {
  double operator[](std::size_t) const { return 1; }
};

template <class Real, class Weights>
class Paths {
 public:
  Paths(const Graph& graph, Vertex source, std::span<const Real> distance, std::span<const Vertex> parent,
        const Weights& in, const Weights& out)
      : graph_(graph),
        source_(source),
        in_(in),
        out_(out),
        distance_(local_values(graph, distance)),
        hung_(graph.locals()),
        breaches_(graph.world()),
        has_parents_(graph.world().any(!parent.empty())) {
    const auto [owner, natural] = graph.find(source);
    if (owner == graph.world().rank()) source_here_ = graph.local_of(natural);
    if (has_parents_) {
      check_one_for_each(graph, parent.size(), "parents");
      parent_ = Array<Vertex>(static_cast<std::size_t>(graph.locals()), kNoVertex);
      for (std::size_t k = 0; k < parent.size(); ++k)
        parent_[static_cast<std::size_t>(graph.local_of(static_cast<Vertex>(k)))] = parent[k];
    }
  }

  Breach run() {
    for_masters([&](Local v) { look_at(v); });
    if (const Breach b = breaches_.first(); b.rule) return b;  // values that cannot be compared
    for_masters([&](Local v) { look_at_edges(v); });
    if (const Breach b = breaches_.first(); b.rule) return b;
    if (graph_.world().any(some_hang_by_nothing_)) hang();
    return breaches_.first();
  }

 private:
  static constexpr Real kFar = std::numeric_limits<Real>::infinity();

  template <class F>
  void for_masters(F&& f) {
    graph_.world().team().for_range(static_cast<std::size_t>(graph_.owned()), kGrain,
                                    [&](int, std::size_t a, std::size_t b) {
                                      for (std::size_t v = a; v < b; ++v) f(static_cast<Local>(v));
                                    });
  }
  Real distance(Local v) const { return distance_[static_cast<std::size_t>(v)]; }
  Vertex parent(Local v) const { return parent_[static_cast<std::size_t>(v)]; }
  void note(Rule rule, Local v, Breach breach = {}) {
    breach.rule = rule;
    breach.a = graph_.id_of(v);
    breaches_.note(breach);
  }
  /// f(neighbour, weight) along a row.
  template <class F>
  void for_edges(const Csr& lists, const Weights& weights, Local v, F&& f) const {
    const auto end = static_cast<std::size_t>(lists.offsets[static_cast<std::size_t>(v) + 1]);
    for (auto e = static_cast<std::size_t>(lists.offsets[static_cast<std::size_t>(v)]); e < end; ++e)
      f(lists.targets[e], static_cast<Real>(weights[e]));
  }

  void look_at(Local v) {
    const Real d = distance(v);
    if (v == source_here_) {
      if (d != 0) note(source_value, v, {.x = static_cast<double>(d)});
      if (has_parents_ && parent(v) != source_) note(source_parent, v, {.p = parent(v)});
      return;
    }
    if (!(d >= 0)) note(value, v, {.x = static_cast<double>(d)});
    if (!has_parents_) return;
    if (d == kFar && parent(v) != kNoVertex) note(stray_parent, v, {.p = parent(v)});
    if (d < kFar && parent(v) == kNoVertex) note(no_parent, v, {.x = static_cast<double>(d)});
  }

  void look_at_edges(Local v) {
    const Real d = distance(v);
    const bool reached = d != kFar;
    bool tight = v == source_here_, hangs = tight;
    for_edges(graph_.in(), in_, v, [&](Local u, Real w) {
      const Real from = distance(u), sum = from + w;
      if (from == kFar || sum > d) return;
      if (sum < d) {
        const Breach edge{.rule = reached ? long_edge : leaving_edge,
                          .a = graph_.id_of(u),
                          .b = graph_.id_of(v),
                          .x = static_cast<double>(from),
                          .y = static_cast<double>(d),
                          .z = static_cast<double>(w)};
        breaches_.note(edge);
      } else if (!hangs && may_hang(v, u)) {
        tight = true;
        hangs = from < d;  // distances fall along such edges, so they end: at the source, the only 0 that hangs by none
      }
    });
    if (!reached) return;
    if (hangs) {
      hung_.set(v);
    } else if (tight) {
      some_hang_by_nothing_.store(true, std::memory_order_relaxed);
    } else {
      note_not_tight(v);
    }
  }
  bool may_hang(Local v, Local u) const { return !has_parents_ || graph_.id_of(u) == parent(v); }

  void note_not_tight(Local v) {
    const auto d = static_cast<double>(distance(v));
    if (!has_parents_) return note(no_tight_edge, v, {.x = d});
    double sum = std::numeric_limits<double>::infinity();
    bool joined = false;
    for_edges(graph_.in(), in_, v, [&](Local u, Real w) {
      if (graph_.id_of(u) != parent(v)) return;
      joined = true;
      sum = std::min(sum, static_cast<double>(distance(u) + w));
    });
    note(joined ? tree_edge : no_edge, v, {.p = parent(v), .x = d, .y = sum});
  }

  /// From what hangs, along edges that make a distance and add nothing to it.
  void hang() {
    if (has_parents_) {
      VertexBits all(graph_.locals());
      all.set_all();
      MirrorExchange<Vertex, MinOf>(graph_).broadcast({parent_.data(), parent_.size()}, all);
    }
    flood(graph_, hung_, [&](Local u, auto&& mark) {
      const Real d = distance(u);
      for_edges(graph_.out(), out_, u, [&](Local v, Real w) {
        if (distance(v) == d && d + w == d && may_hang(v, u)) mark(v);
      });
    });
    for_masters([&](Local v) {
      if (distance(v) != kFar && !hung_.test(v)) note(unhung, v);
    });
  }

  const Graph& graph_;
  const Vertex source_;
  const Weights &in_, &out_;  // by place in the lists
  Local source_here_ = -1;
  const Array<Real> distance_;  // [local]
  Array<Vertex> parent_;        // [local], of mirrors only while hanging
  VertexBits hung_;             // masters whose paths end at the source
  std::atomic<bool> some_hang_by_nothing_{false};
  Breaches breaches_;
  const bool has_parents_;
};

template <class Number>
std::string describe(const Graph& graph, const Breach& b, Vertex source, const char* distance, bool parents) {
  const Number x = static_cast<Number>(b.x), y = static_cast<Number>(b.y), z = static_cast<Number>(b.z);
  const auto edge = [&] { return fmt::format("edge {} {} {}", b.a, graph.directed() ? "->" : "-", b.b); };
  switch (static_cast<Rule>(b.rule)) {
    case source_value:
      return fmt::format("rule 2: the source {} has the {} {} (it is 0)", b.a, distance, x);
    case value:
      return fmt::format("rule 2: vertex {} has the {} {} (it is 0 or more)", b.a, distance, x);
    case source_parent:
      if (b.p == kNoVertex) return fmt::format("rule 1: the source {} has no parent (it is its own)", b.a);
      return fmt::format("rule 1: the source {} has {} as parent (not itself)", b.a, b.p);
    case stray_parent:
      return fmt::format("rule 1: vertex {} has the parent {} but was not reached", b.a, b.p);
    case no_parent:
      return fmt::format("rule 1: vertex {} has the {} {} but no parent", b.a, distance, x);
    case no_edge:
      return fmt::format("rule 5: no edge joins vertex {} and its parent {}", b.a, b.p);
    case tree_edge:
      return fmt::format("rule 2: vertex {} has the {} {} (its parent {} and the edge between them make {})", b.a,
                         distance, x, b.p, y);
    case no_tight_edge:
      return fmt::format("rule 2: vertex {} has the {} {} (no edge into it makes that)", b.a, distance, x);
    case long_edge:
      return fmt::format("rule 3: {} of length {} joins the {}s {} and {} (there is a shorter path)", edge(), z,
                         distance, x, y);
    case leaving_edge:
      return fmt::format("rule 4: {} leaves what was reached: {} has the {} {}, {} none", edge(), b.a, distance, x,
                         b.b);
    case unhung:
      if (parents)
        return fmt::format("rule 1: the parents of vertex {} never lead to the source {} (a cycle)", b.a, source);
      return fmt::format("rule 1: no path that makes the {}s leads from the source {} to vertex {}", distance, source,
                         b.a);
  }
  return {};
}

}  // namespace

template <class Real>
Verdict verify_sssp(const Graph& graph, Vertex source, std::span<const Real> distance, std::span<const Vertex> parent) {
  check_one_for_each(graph, distance.size(), "distances");
  const std::size_t type = graph.out().weights.index();
  const bool fits = type == 1 || (type == 2 && std::is_same_v<Real, double>);
  graph.world().agree(
      fits, fmt::format("verify sssp: {} has {} (distances are sums of weights, as wide or wider). Verify them against "
                        "the graph that they come from.",
                        graph.name(), graph.weighted() ? "wider weights" : "no weights"));
  Breach breach;
  const auto run = [&]<class Weights>(const Weights& in, const Weights& out) {
    breach = Paths<Real, Weights>(graph, source, distance, parent, in, out).run();
  };
  if (type == 1) {
    run(std::get<1>(graph.in().weights), std::get<1>(graph.out().weights));
  } else if constexpr (std::is_same_v<Real, double>) {
    run(std::get<2>(graph.in().weights), std::get<2>(graph.out().weights));
  }
  const bool parents = graph.world().any(!parent.empty());
  return {breach.rule == 0, describe<Real>(graph, breach, source, "distance", parents)};
}
template Verdict verify_sssp(const Graph&, Vertex, std::span<const float>, std::span<const Vertex>);
template Verdict verify_sssp(const Graph&, Vertex, std::span<const double>, std::span<const Vertex>);

Verdict verify_depths(const Graph& graph, Vertex source, std::span<const Vertex> depth) {
  check_one_for_each(graph, depth.size(), "depths");
  Array<double> distance(depth.size());
  for (std::size_t k = 0; k < depth.size(); ++k)
    distance[k] = depth[k] == kUnreachable ? std::numeric_limits<double>::infinity() : static_cast<double>(depth[k]);
  const Unit unit;
  const std::span<const double> values(distance.data(), distance.size());
  const Breach breach = Paths<double, Unit>(graph, source, values, {}, unit, unit).run();
  return {breach.rule == 0, describe<double>(graph, breach, source, "depth", false)};
}

}  // namespace atl
