// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/mirror_values.hpp>
#include <atoll/verify/truss/edge_triangles.hpp>
#include <atoll/verify/truss/truss_numbers.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {
namespace {

// An edge as a rank lists it, and what is said of it.
struct ListedEdge {
  Local a, b;
  Vertex said;
  std::pair<Local, Local> ends() const { return std::minmax(a, b); }
};

// All of the graph, on rank 0; nodes are dense numbers.
struct WholeGraph {
  std::vector<Vertex> id, greatest;
  std::vector<ListedEdge> edges;
};

template <class T>
std::vector<T> gathered(World& world, std::vector<T> mine) {
  std::vector<std::vector<T>> outgoing(static_cast<std::size_t>(world.size()));
  outgoing[0] = std::move(mine);
  std::vector<T> all;
  for (const std::vector<T>& part : world.exchange(std::move(outgoing)))
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

WholeGraph gather(const Graph& graph, const TrussColumns& columns, bool has_edges) {
  World& world = graph.world();
  const std::vector<Vertex> dense = dense_numbers(graph);
  std::vector<ListedEdge> edges;
  for (Local v = 0; v < graph.active(); ++v)
    for (const Local u : graph.out().neighbours(v)) {
      if (graph.id_of(v) > graph.id_of(u)) continue;
      const std::size_t k = edges.size();
      edges.push_back({static_cast<Local>(dense[v]), static_cast<Local>(dense[u]),
                       has_edges && k < columns.of_edge.size() ? columns.of_edge[k] : 0});
    }
  world.agree(!has_edges || edges.size() == columns.of_edge.size(),
              fmt::format("verify: rank {} gives {} truss numbers of edges (it has {} edges of {}). Give one for each.",
                          world.rank(), columns.of_edge.size(), edges.size(), graph.name()));
  std::vector<Vertex> ids;
  for (Vertex k = 0; k < graph.owned(); ++k) ids.push_back(graph.ids().id_of(k));
  WholeGraph whole;
  whole.id = gathered(world, std::move(ids));
  whole.greatest = gathered(world, std::vector<Vertex>(columns.greatest.begin(), columns.greatest.end()));
  whole.edges = gathered(world, std::move(edges));
  return whole;
}

// Numbers of the edges by removing one of fewest triangles after another [J. Wang, J. Cheng. "Truss decomposition in
// massive networks." PVLDB 5(9), 2012].
std::vector<Vertex> numbers_of(const EdgeTriangles& triangles, std::size_t edges) {
  std::vector<Vertex> left(edges, 0), number(edges, 0);
  std::vector<std::size_t> rest(edges), removable;
  for (std::size_t e = 0; e < edges; ++e) {
    rest[e] = e;
    triangles.for_each(e, [&](std::size_t, std::size_t) { ++left[e]; });
  }
  while (!rest.empty()) {
    Vertex level = left[rest[0]];
    for (const std::size_t e : rest) level = std::min(level, left[e]);
    for (const std::size_t e : rest)
      if (left[e] == level) removable.push_back(e);
    while (!removable.empty()) {
      const std::size_t e = removable.back();
      removable.pop_back();
      triangles.for_each(e, [&](std::size_t one, std::size_t other) {
        if (number[one] > 0 || number[other] > 0) return;
        for (const std::size_t edge : {one, other})
          if (left[edge] > level && --left[edge] == level) removable.push_back(edge);
      });
      number[e] = level + 2;
    }
    std::erase_if(rest, [&](std::size_t e) { return number[e] > 0; });
  }
  return number;
}

class TrussCheck {
 public:
  TrussCheck(const WholeGraph& whole, Violations& violations) : whole_(whole), violations_(violations) {
    for (const ListedEdge& edge : whole.edges)
      if (edge.a != edge.b) ends_.push_back(edge.ends());
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  }

  void run(bool has_edges, bool has_greatest, const std::optional<Vertex>& largest) {
    const EdgeTriangles triangles(whole_.id.size(), ends_);
    std::vector<Vertex> number;
    if (has_edges) {
      number = said_numbers();
      check_triangles(triangles, number);
    } else {
      number = numbers_of(triangles, ends_.size());
    }
    if (has_greatest) check_greatest(number);
    const Vertex most = number.empty() ? 0 : *std::max_element(number.begin(), number.end());
    if (largest && *largest != most) violations_.note({.rule = 4, .p = *largest, .q = most});
  }

 private:
  std::vector<Vertex> said_numbers() {
    std::vector<Vertex> number(ends_.size(), -1);
    for (const ListedEdge& edge : whole_.edges) {
      bool is_right = edge.said == 0;
      if (edge.a != edge.b) {
        const auto e = std::lower_bound(ends_.begin(), ends_.end(), edge.ends()) - ends_.begin();
        Vertex& known = number[static_cast<std::size_t>(e)];
        is_right = edge.said >= 2 && (known < 0 || known == edge.said);
        known = edge.said;
      }
      if (!is_right) note(1, edge.ends(), edge.said, 0);
    }
    return number;
  }

  void check_triangles(const EdgeTriangles& triangles, const std::vector<Vertex>& number) {
    std::vector<Vertex> left(ends_.size(), 0);
    std::vector<std::size_t> removable;
    std::vector<bool> is_removed(ends_.size(), false);
    for (std::size_t e = 0; e < ends_.size(); ++e) {
      triangles.for_each(e, [&](std::size_t one, std::size_t other) {
        left[e] += number[one] >= number[e] && number[other] >= number[e];
      });
      if (left[e] < number[e] - 2) note(2, ends_[e], number[e], left[e]);
      if (left[e] <= number[e] - 2) removable.push_back(e);
    }
    while (!removable.empty()) {
      const std::size_t e = removable.back();
      removable.pop_back();
      const Vertex level = number[e];
      const auto is_gone = [&](std::size_t edge) {
        return number[edge] < level || (number[edge] == level && is_removed[edge]);
      };
      triangles.for_each(e, [&](std::size_t one, std::size_t other) {
        if (is_gone(one) || is_gone(other)) return;
        for (const std::size_t edge : {one, other})
          if (number[edge] == level && --left[edge] == level - 2) removable.push_back(edge);
      });
      is_removed[e] = true;
    }
    for (std::size_t e = 0; e < ends_.size(); ++e)
      if (!is_removed[e]) note(3, ends_[e], number[e], number[e] - 1);
  }

  void check_greatest(const std::vector<Vertex>& number) {
    std::vector<Vertex> greatest(whole_.id.size(), 0);
    for (std::size_t e = 0; e < ends_.size(); ++e)
      for (const Local end : {ends_[e].first, ends_[e].second}) greatest[end] = std::max(greatest[end], number[e]);
    for (std::size_t v = 0; v < greatest.size(); ++v)
      if (greatest[v] != whole_.greatest[v])
        violations_.note({.rule = 1, .a = whole_.id[v], .p = whole_.greatest[v], .q = greatest[v]});
  }

  void note(int rule, std::pair<Local, Local> ends, Vertex p, Vertex q) {
    const auto [a, b] = std::minmax(whole_.id[ends.first], whole_.id[ends.second]);
    violations_.note({.rule = rule, .a = a, .b = b, .p = p, .q = q});
  }

  const WholeGraph& whole_;
  Violations& violations_;
  std::vector<EdgeTriangles::Ends> ends_;
};

}  // namespace

Verdict verify_truss_numbers(const Graph& graph, const TrussColumns& columns) {
  World& world = graph.world();
  check(!graph.directed(), "verify: {} is directed (trusses are of undirected graphs). Read it as undirected.",
        graph.name());
  const bool has_greatest = world.any(!columns.greatest.empty()), has_edges = world.any(!columns.of_edge.empty());
  if (has_greatest) check_one_for_each(graph, columns.greatest.size(), "truss numbers");
  const WholeGraph whole = gather(graph, columns, has_edges);
  Violations violations(world);
  if (world.rank() == 0) TrussCheck(whole, violations).run(has_edges, has_greatest, columns.largest);
  const Violation b = violations.first();
  const auto edge = fmt::format("rule {}: the edge between {} and {} has the truss number {}", b.rule, b.a, b.b, b.p);
  switch (b.rule) {
    case 1:
      if (b.b < 0)
        return {false, fmt::format("rule 1: vertex {} has the truss number {} (the greatest of its edges is {})", b.a,
                                   b.p, b.q)};
      return {false, edge + " (2 or more, the same of parallel edges, 0 of a self-loop)"};
    case 2:
      return {false,
              fmt::format("{} (too large, or another is too small: {} of its triangles have edges of {} or more)", edge,
                          b.q, b.p)};
    case 3:
      return {false,
              fmt::format("{} (too small: it is in a subgraph whose edges are in {} triangles or more)", edge, b.q)};
    case 4:
      return {false, fmt::format("rule 4: {} is the largest truss number (the largest of an edge is {})", b.p, b.q)};
  }
  return {};
}

}  // namespace atl
