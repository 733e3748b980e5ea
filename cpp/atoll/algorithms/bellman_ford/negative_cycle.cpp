// SPDX-License-Identifier: Apache-2.0
// Strongly connected components by Tarjan's algorithm [1]: a cycle goes through an edge exactly where its ends are in
// one component. Then a breadth-first search back from the edge's head to its tail closes it.
//
// [1] R. Tarjan. "Depth-first search and linear graph algorithms." SIAM J. Computing 1(2), 1972.
#include <algorithm>
#include <atoll/algorithms/bellman_ford/negative_cycle.hpp>
#include <limits>
#include <tuple>

namespace atl {
namespace {

/// The edges by tail, with vertices numbered in the order of their ids.
class AdmissibleGraph {
 public:
  explicit AdmissibleGraph(std::span<const AdmissibleEdge> edges) : edges_(edges.begin(), edges.end()) {
    std::ranges::sort(edges_, [](const AdmissibleEdge& a, const AdmissibleEdge& b) {
      return std::tie(a.tail, a.head, a.weight) < std::tie(b.tail, b.head, b.weight);
    });
    for (const AdmissibleEdge& e : edges_) ids_.insert(ids_.end(), {e.tail, e.head});
    std::ranges::sort(ids_);
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    begin_.assign(ids_.size() + 1, edges_.size());
    for (std::size_t e = edges_.size(); e-- > 0;) {
      head_.push_back(number_of(edges_[e].head));
      begin_[number_of(edges_[e].tail)] = e;
    }
    std::ranges::reverse(head_);
    for (std::size_t v = ids_.size(); v-- > 0;) begin_[v] = std::min(begin_[v], begin_[v + 1]);
  }

  const std::vector<AdmissibleEdge>& edges() const { return edges_; }
  std::size_t size() const { return ids_.size(); }
  std::size_t begin(std::size_t v) const { return begin_[v]; }
  std::size_t end(std::size_t v) const { return begin_[v + 1]; }
  std::size_t head(std::size_t e) const { return head_[e]; }
  std::size_t number_of(Vertex id) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin());
  }

 private:
  std::vector<AdmissibleEdge> edges_;
  std::vector<Vertex> ids_;
  std::vector<std::size_t> begin_, head_;
};

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// [vertex] the number of its strongly connected component.
std::vector<std::size_t> components_of(const AdmissibleGraph& graph) {
  struct Visit {
    std::size_t vertex, next;
  };
  std::vector<std::size_t> order(graph.size(), kNone), low(graph.size()), component(graph.size(), kNone), open;
  std::vector<Visit> stack;
  std::size_t visited = 0, found = 0;
  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (order[start] != kNone) continue;
    stack.push_back({start, graph.begin(start)});
    while (!stack.empty()) {
      const std::size_t v = stack.back().vertex;
      if (order[v] == kNone) {
        order[v] = low[v] = visited++;
        open.push_back(v);
      }
      if (std::size_t& e = stack.back().next; e < graph.end(v)) {
        const std::size_t u = graph.head(e);
        if (order[u] == kNone) {
          stack.push_back({u, graph.begin(u)});  // and this edge again, when u is done
        } else {
          if (component[u] == kNone) low[v] = std::min(low[v], low[u]);
          ++e;
        }
        continue;
      }
      stack.pop_back();
      if (low[v] != order[v]) continue;
      while (component[v] == kNone) {
        component[open.back()] = found;
        open.pop_back();
      }
      ++found;
    }
  }
  return component;
}

/// The cycle of the e-th edge, whose ends are in one component, and a shortest way back.
NegativeCycle cycle_through(const AdmissibleGraph& graph, std::size_t e, const std::vector<std::size_t>& component) {
  const std::size_t first = graph.head(e), last = graph.number_of(graph.edges()[e].tail);
  std::vector<std::size_t> by(graph.size(), kNone), queue{first};  // by: the edge over which a vertex was reached
  for (std::size_t next = 0; next < queue.size() && first != last && by[last] == kNone; ++next)
    for (std::size_t f = graph.begin(queue[next]); f < graph.end(queue[next]); ++f) {
      const std::size_t u = graph.head(f);
      if (u == first || by[u] != kNone || component[u] != component[first]) continue;
      by[u] = f;
      queue.push_back(u);
    }
  std::vector<std::size_t> edges{e};
  for (std::size_t v = last; v != first; v = graph.number_of(graph.edges()[by[v]].tail)) edges.push_back(by[v]);
  std::ranges::reverse(edges);
  NegativeCycle cycle;
  for (const std::size_t f : edges) {
    cycle.vertices.push_back(graph.edges()[f].tail);
    cycle.sum += graph.edges()[f].weight;
  }
  std::ranges::rotate(cycle.vertices, std::ranges::min_element(cycle.vertices));
  return cycle;
}

}  // namespace

NegativeCycle negative_cycle_among(std::span<const AdmissibleEdge> edges, bool rounded) {
  const AdmissibleGraph graph(edges);
  const std::vector<std::size_t> component = components_of(graph);
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    const AdmissibleEdge& edge = graph.edges()[e];
    if (!edge.lowers || component[graph.number_of(edge.tail)] != component[graph.head(e)]) continue;
    NegativeCycle cycle = cycle_through(graph, e, component);
    if (cycle.sum < 0 || rounded) return cycle;
  }
  return {};
}

}  // namespace atl
