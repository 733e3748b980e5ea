// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/engine/fetch_values.hpp>
#include <atoll/engine/id_positions.hpp>
#include <atoll/verify/spanning_forest/forest_paths.hpp>
#include <atoll/verify/spanning_forest/spanning_forest.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {
namespace {

constexpr std::size_t kForestGrain = 1024;

// Sets of vertices that forest edges have joined, and when: at the when[v]-th edge v's set was put below up[v].
class JoinTimes {
 public:
  explicit JoinTimes(std::size_t vertices) : up_(vertices), when_(vertices, kNever), size_(vertices, 1) {
    for (std::size_t v = 0; v < vertices; ++v) up_[v] = static_cast<Vertex>(v);
  }
  static constexpr std::size_t kNever = ~std::size_t{0};

  // Whether the ends were in two sets.
  bool join(Vertex a, Vertex b, std::size_t now) {
    while (when_[a] != kNever) a = up_[a];
    while (when_[b] != kNever) b = up_[b];
    if (a == b) return false;
    if (size_[a] > size_[b]) std::swap(a, b);
    up_[a] = b;
    when_[a] = now;
    size_[b] += size_[a];
    return true;
  }
  // The edge by which the two came into one set; kNever.
  std::size_t joined(Vertex a, Vertex b) const {
    std::size_t last = kNever;
    while (a != b) {
      if (when_[a] > when_[b]) std::swap(a, b);
      if (when_[a] == kNever) return kNever;
      last = when_[a];
      a = up_[a];
    }
    return last;
  }

 private:
  std::vector<Vertex> up_;
  std::vector<std::size_t> when_, size_;
};

// Root of each vertex by doubling the steps; -1 where parents lead in a circle.
std::vector<Vertex> roots_of(Team& team, const std::vector<TreeEdge>& edges) {
  std::vector<Vertex> up(edges.size()), next(edges.size());
  for (std::size_t v = 0; v < edges.size(); ++v) up[v] = edges[v].parent;
  for (std::size_t steps = 1; steps < edges.size(); steps *= 2) {
    team.for_range(up.size(), kForestGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) next[v] = up[up[v]];
    });
    if (up == next) break;
    up.swap(next);
  }
  for (std::size_t v = 0; v < up.size(); ++v)
    if (up[v] >= 0 && edges[up[v]].parent != up[v])
      next[v] = -1;
    else
      next[v] = up[v];
  return next;
}

class ForestCheck {
 public:
  ForestCheck(const Graph& graph, std::span<const Vertex> parent, std::span<const double> weight,
              const SpanningForestTerms& terms)
      : graph_(graph),
        world_(graph.world()),
        positions_(graph),
        parent_(parent),
        weight_(weight),
        has_weights_(world_.any(!weight.empty())),
        sign_(terms.first == FirstEdges::lightest ? 1 : -1),
        by_weight_(terms.by_weight && graph.weighted()),
        violations_(world_) {}

  Verdict run() {
    std::vector<TreeEdge> edges = tree_edges();
    if (Verdict verdict = told(); !verdict.ok) return verdict;
    edges = positions_.order().arrange(std::span<const TreeEdge>(edges));
    const double bytes = static_cast<double>(graph_.vertices()) * kBytesPerVertex;
    return bytes <= static_cast<double>(world_.plan().replicated_bytes) ? check_gathered(edges)
                                                                        : check_over_ranks(edges);
  }

 private:
  static constexpr double kBytesPerVertex = 80;
  static constexpr Edge kSampledEdges = 1 << 16;

  template <class F>
  void for_masters(F&& f) {
    world_.team().for_range(index(graph_.owned()), kForestGrain, [&](int, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) f(v);
    });
  }

  template <class W>
  double order_weight(W weight) const {
    return by_weight_ ? sign_ * static_cast<double>(weight) : sign_;
  }

  std::vector<TreeEdge> tree_edges() {
    std::vector<TreeEdge> edges(parent_.size());
    for_masters([&](Local v) {
      const auto k = index(graph_.owned_index_of(v));
      TreeEdge& edge = edges[k] = {positions_[v], positions_[v], 0};
      if (parent_[k] == graph_.id_of(v)) {
        if (has_weights_ && weight_[k] != 0)
          violations_.note({.rule = 1, .a = graph_.id_of(v), .p = parent_[k], .x = weight_[k]});
        return;
      }
      bool found = false;
      graph_.out().for_edges(v, [&](Local u, auto w) {
        if (graph_.id_of(u) != parent_[k]) return;
        const double signed_weight = order_weight(w);
        if (has_weights_ ? sign_ * weight_[k] == signed_weight : !found || signed_weight < edge.weight) {
          edge = {positions_[v], positions_[u], signed_weight};
          found = true;
        }
      });
      if (!found)
        violations_.note({.rule = 1, .a = graph_.id_of(v), .p = parent_[k], .x = has_weights_ ? weight_[k] : 0});
    });
    return edges;
  }

  // Every rank has the whole forest.
  Verdict check_gathered(std::vector<TreeEdge> edges) {
    edges = world_.all_gather_varying(std::span<const TreeEdge>(edges));
    const std::vector<Vertex> root = roots_of(world_.team(), edges);
    for_masters([&](Local v) { check_root(v, [&](Local u) { return root[positions_[u]]; }); });
    if (Verdict verdict = told(); !verdict.ok) return verdict;
    std::erase_if(edges, [](const TreeEdge& edge) { return edge.vertex == edge.parent; });
    std::sort(edges.begin(), edges.end(), [](const TreeEdge& x, const TreeEdge& y) { return x.order() < y.order(); });
    JoinTimes times(root.size());
    for (std::size_t k = 0; k < edges.size(); ++k) times.join(edges[k].vertex, edges[k].parent, k);
    for_masters([&](Local v) {
      for_edges_up(v, [&](const TreeEdge& edge) { check_order(edge, edges[times.joined(edge.vertex, edge.parent)]); });
    });
    return told();
  }

  // Every rank has the edges of its block of vertices; rule 4 is held for a sample of edges.
  Verdict check_over_ranks(const std::vector<TreeEdge>& edges) {
    const Blocks& blocks = positions_.blocks();
    const ForestPaths paths(world_, blocks, edges);
    std::vector<Vertex> vertices;
    std::vector<Local> locals;
    for (const Local v : positions_.locals()) {
      if (positions_[v] >= graph_.vertices()) break;
      locals.push_back(v);
      vertices.push_back(positions_[v]);
    }
    const auto roots = fetch_values<Vertex>(world_, blocks, vertices, [&](Vertex v) { return paths.root(v); });
    std::vector<Vertex> root(index(graph_.locals()));
    for (std::size_t k = 0; k < locals.size(); ++k) root[locals[k]] = roots[k];
    for_masters([&](Local v) { check_root(v, [&](Local u) { return root[u]; }); });
    if (Verdict verdict = told(); !verdict.ok) return verdict;

    std::vector<TreeEdge> sample;
    const double share = static_cast<double>(kSampledEdges) / std::max(1.0, static_cast<double>(graph_.edges()));
    for (Local v = 0; v < graph_.owned(); ++v)
      for_edges_up(v, [&](const TreeEdge& edge) {
        const auto draw = random_at(static_cast<std::uint64_t>(edge.vertex), static_cast<std::uint64_t>(edge.parent));
        if (static_cast<double>(draw) * 0x1p-64 < share) sample.push_back(edge);
      });
    std::vector<std::pair<Vertex, Vertex>> ends;
    for (const TreeEdge& edge : sample) ends.emplace_back(edge.vertex, edge.parent);
    const std::vector<TreeEdge> last = paths.last_edges(ends);
    for (std::size_t k = 0; k < sample.size(); ++k) check_order(sample[k], last[k]);
    return told();
  }

  // f(edge) for the edges from v to vertices of greater ids.
  template <class F>
  void for_edges_up(Local v, F&& f) const {
    graph_.out().for_edges(v, [&](Local u, auto w) {
      if (positions_[v] < positions_[u]) f(TreeEdge{positions_[v], positions_[u], order_weight(w)});
    });
  }

  template <class RootOf>
  void check_root(Local v, RootOf&& root_of) {
    const Vertex mine = root_of(v);
    if (mine < 0 || mine > positions_[v]) violations_.note({.rule = 2, .a = graph_.id_of(v), .p = mine < 0 ? -1 : 0});
    for (const Local u : graph_.out().neighbours(v))
      if (positions_[v] < positions_[u] && root_of(u) != mine)
        violations_.note({.rule = 3, .a = graph_.id_of(v), .b = graph_.id_of(u)});
  }

  // `last` is the last edge on the path between the ends of `edge`.
  void check_order(const TreeEdge& edge, const TreeEdge& last) {
    if (edge.order() < last.order())
      violations_.note({.rule = 4,
                        .a = graph_.id_of(positions_.local_at(edge.vertex)),
                        .b = graph_.id_of(positions_.local_at(edge.parent)),
                        .x = sign_ * edge.weight,
                        .y = sign_ * last.weight});
  }

  Verdict told() {
    const Violation b = violations_.first();
    switch (b.rule) {
      case 1:
        return {false, b.a == b.p
                           ? fmt::format("rule 1: vertex {} is a root with the weight {} (a root has 0)", b.a, b.x)
                       : !has_weights_ || !by_weight_
                           ? fmt::format("rule 1: vertex {} has the parent {}, but no edge joins them", b.a, b.p)
                           : fmt::format("rule 1: vertex {} has the parent {} and the weight {}, but no edge of this "
                                         "weight joins them",
                                         b.a, b.p, b.x)};
      case 2:
        return {false, b.p < 0 ? fmt::format("rule 2: the parents of vertex {} lead to no root", b.a)
                               : fmt::format("rule 2: the root of vertex {} is larger than it (a root is the smallest "
                                             "id of its tree)",
                                             b.a)};
      case 3:
        return {false, fmt::format("rule 3: an edge joins vertices {} and {}, which are in two trees", b.a, b.b)};
      case 4:
        return {false, fmt::format("rule 4: the edge between {} and {}, which weighs {}, comes before one of weight {} "
                                   "on the path between them",
                                   b.a, b.b, b.x, b.y)};
    }
    return {};
  }

  const Graph& graph_;
  World& world_;
  const IdPositions positions_;
  const std::span<const Vertex> parent_;
  const std::span<const double> weight_;
  const bool has_weights_;  // else each edge to a parent is the first between the two
  const double sign_;       // of a maximum forest -1
  const bool by_weight_;
  Violations violations_;
};

}  // namespace

Verdict verify_spanning_forest(const Graph& graph, std::span<const Vertex> parent, std::span<const double> weight,
                               const SpanningForestTerms& terms) {
  check(!graph.directed(), "verify: {} is directed (spanning forests are of undirected graphs). Read it as undirected.",
        graph.name());
  check_one_for_each(graph, parent.size(), "parents");
  if (graph.world().any(!weight.empty())) check_one_for_each(graph, weight.size(), "weights");
  return ForestCheck(graph, parent, weight, terms).run();
}

}  // namespace atl
