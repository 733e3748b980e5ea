// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/flood.hpp>
#include <atoll/verify/shortest_paths/path_violations.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>
#include <cmath>
#include <limits>

// The rules: Graph500 specification, section "Validation".

namespace atl {
namespace {

using namespace path_violations;

constexpr std::size_t kPathGrain = 1024;

struct Unit {
  double operator[](std::size_t) const { return 1; }
};

// Whether weights, and so lengths of paths, may be negative.
enum class Signs { not_negative, any };

template <class Real, class Weights>
class Paths {
 public:
  Paths(const Graph& graph, Vertex source, std::span<const Real> distance, std::span<const Vertex> parent,
        const Weights& in, const Weights& out, Signs signs)
      : graph_(graph),
        source_(source),
        signs_(signs),
        in_(in),
        out_(out),
        distance_(local_values(graph, distance)),
        connected_(graph.locals()),
        violations_(graph.world()),
        has_parents_(graph.world().any(!parent.empty())) {
    const auto [owner, owned_index] = graph.find(source);
    if (owner == graph.world().rank()) source_here_ = graph.local_of(owned_index);
    if (has_parents_) {
      check_one_for_each(graph, parent.size(), "parents");
      parent_ = Array<Vertex>(static_cast<std::size_t>(graph.locals()), kNoVertex);
      for (std::size_t k = 0; k < parent.size(); ++k) parent_[graph.local_of(static_cast<Vertex>(k))] = parent[k];
    }
  }

  Violation run() {
    for_masters([&](Local v) { look_at(v); });
    if (const Violation b = violations_.first(); b.rule) return b;  // the values cannot be compared
    for_masters([&](Local v) { look_at_edges(v); });
    if (const Violation b = violations_.first(); b.rule) return b;
    if (graph_.world().any(some_unconnected_)) connect_paths();
    return violations_.first();
  }

 private:
  static constexpr Real kUnreached = std::numeric_limits<Real>::infinity();

  template <class F>
  void for_masters(F&& f) {
    graph_.world().team().for_range(static_cast<std::size_t>(graph_.owned()), kPathGrain,
                                    [&](int, std::size_t a, std::size_t b) {
                                      for (std::size_t v = a; v < b; ++v) f(static_cast<Local>(v));
                                    });
  }
  Real distance(Local v) const { return distance_[v]; }
  Vertex parent(Local v) const { return parent_[v]; }
  void note(PathRule rule, Local v, Violation violation = {}) {
    violation.rule = rule;
    violation.a = graph_.id_of(v);
    violations_.note(violation);
  }
  /// f(neighbour, weight) for each edge of a row.
  template <class F>
  void for_edges(const Csr& lists, const Weights& weights, Local v, F&& f) const {
    const auto end = static_cast<std::size_t>(lists.offsets[static_cast<std::size_t>(v) + 1]);
    for (auto e = static_cast<std::size_t>(lists.offsets[v]); e < end; ++e)
      f(lists.targets[e], static_cast<Real>(weights[e]));
  }

  void look_at(Local v) {
    const Real d = distance(v);
    if (v == source_here_) {
      if (d != 0) note(source_value, v, {.x = static_cast<double>(d)});
      if (has_parents_ && parent(v) != source_) note(source_parent, v, {.p = parent(v)});
      return;
    }
    if (signs_ == Signs::not_negative && !(d >= 0)) note(value, v, {.x = static_cast<double>(d)});
    if (signs_ == Signs::any && !(d > -kUnreached)) note(no_value, v, {.x = static_cast<double>(d)});
    if (!has_parents_) return;
    if (d == kUnreached && parent(v) != kNoVertex) note(stray_parent, v, {.p = parent(v)});
    if (d < kUnreached && parent(v) == kNoVertex) note(no_parent, v, {.x = static_cast<double>(d)});
  }

  void look_at_edges(Local v) {
    const Real d = distance(v);
    const bool reached = d != kUnreached;
    bool tight = v == source_here_, connected = tight;
    for_edges(graph_.in(), in_, v, [&](Local u, Real w) {
      const Real from = distance(u), sum = from + w;
      if (from == kUnreached || sum > d) return;
      if (sum < d) {
        const Violation edge{.rule = reached ? long_edge : leaving_edge,
                             .a = graph_.id_of(u),
                             .b = graph_.id_of(v),
                             .x = static_cast<double>(from),
                             .y = static_cast<double>(d),
                             .z = static_cast<double>(w)};
        violations_.note(edge);
      } else if (!connected && may_connect(v, u)) {
        tight = true;
        // Distances decrease along such edges, so the path ends, and only at the source. Where weights may be negative
        // every path is followed from the source.
        connected = signs_ == Signs::not_negative && from < d;
      }
    });
    if (!reached) return;
    if (connected) {
      connected_.set(v);
    } else if (tight) {
      some_unconnected_.store(true, std::memory_order_relaxed);
    } else {
      note_not_tight(v);
    }
  }
  bool may_connect(Local v, Local u) const { return !has_parents_ || graph_.id_of(u) == parent(v); }

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

  /// Marks vertices connected to the source by tight edges, starting from connected vertices: by those of equal distance,
  /// where no weight is negative.
  void connect_paths() {
    if (has_parents_) {
      VertexBits all(graph_.locals());
      all.set_all();
      MirrorExchange<Vertex, MinOf>(graph_).broadcast({parent_.data(), parent_.size()}, all);
    }
    flood(graph_, connected_, [&](Local u, auto&& mark) {
      const Real d = distance(u);
      for_edges(graph_.out(), out_, u, [&](Local v, Real w) {
        if (d + w == distance(v) && (signs_ == Signs::any || d == distance(v)) && may_connect(v, u)) mark(v);
      });
    });
    for_masters([&](Local v) {
      if (distance(v) != kUnreached && !connected_.test(v)) note(no_path_to_source, v);
    });
  }

  const Graph& graph_;
  const Vertex source_;
  const Signs signs_;
  const Weights &in_, &out_;  // by index into the lists
  Local source_here_ = -1;
  const Array<Real> distance_;  // [local]
  Array<Vertex> parent_;        // [local]; of mirrors only in connect_paths()
  VertexBits connected_;        // masters with a path of tight edges from the source
  std::atomic<bool> some_unconnected_{false};
  Violations violations_;
  const bool has_parents_;
};

template <class Real>
Verdict check_paths(const Graph& graph, Vertex source, std::span<const Real> distance, std::span<const Vertex> parent,
                    Signs signs) {
  check_one_for_each(graph, distance.size(), "distances");
  const std::size_t type = graph.out().weights.index();
  check_sums<Real>(graph, type);
  Violation violation;
  const auto run = [&]<class Weights>(const Weights& in, const Weights& out) {
    violation = Paths<Real, Weights>(graph, source, distance, parent, in, out, signs).run();
  };
  if (type == 1) {
    run(std::get<1>(graph.in().weights), std::get<1>(graph.out().weights));
  } else if constexpr (std::is_same_v<Real, double>) {
    run(std::get<2>(graph.in().weights), std::get<2>(graph.out().weights));
  }
  const bool parents = graph.world().any(!parent.empty());
  return {violation.rule == 0, describe<Real>(violation, graph.directed(), source, "distance", parents)};
}

}  // namespace

template <class Real>
Verdict verify_sssp(const Graph& graph, Vertex source, std::span<const Real> distance, std::span<const Vertex> parent) {
  return check_paths(graph, source, distance, parent, Signs::not_negative);
}
template Verdict verify_sssp(const Graph&, Vertex, std::span<const float>, std::span<const Vertex>);
template Verdict verify_sssp(const Graph&, Vertex, std::span<const double>, std::span<const Vertex>);

Verdict verify_bellman_ford(const Graph& graph, Vertex source, std::span<const double> distance,
                            std::span<const Vertex> parent) {
  return check_paths(graph, source, distance, parent, Signs::any);
}

Verdict verify_depths(const Graph& graph, Vertex source, std::span<const Vertex> depth) {
  check_one_for_each(graph, depth.size(), "depths");
  Array<double> distance(depth.size());
  for (std::size_t k = 0; k < depth.size(); ++k)
    distance[k] = depth[k] == kUnreachable ? std::numeric_limits<double>::infinity() : static_cast<double>(depth[k]);
  const Unit unit;
  const std::span<const double> values(distance.data(), distance.size());
  const Violation violation = Paths<double, Unit>(graph, source, values, {}, unit, unit, Signs::not_negative).run();
  return {violation.rule == 0, describe<double>(violation, graph.directed(), source, "depth", false)};
}

}  // namespace atl
