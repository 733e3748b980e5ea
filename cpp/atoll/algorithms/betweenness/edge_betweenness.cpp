// SPDX-License-Identifier: Apache-2.0
// Betweenness of edges [1]: an edge v -> w on shortest paths takes the summand sigma(v) / sigma(w) (1 + delta(w)) that it
// gives to delta(v). On one rank, by edges, by SerialBetweenness in each thread; else by BetweennessWeighted.
//
// [1] U. Brandes. "On variants of shortest-path betweenness centrality and their generic computation." Social Networks
// 30(2), 2008.
#include <algorithm>
#include <atoll/algorithms/betweenness/edge_betweenness.hpp>
#include <atoll/algorithms/betweenness/serial.hpp>
#include <atoll/algorithms/betweenness/weighted.hpp>
#include <tuple>

namespace atl {
namespace {

// An edge by original ids, or one of its directions or copies.
struct EdgeScore {
  Vertex source, target;
  double score;
};

// The rank that owns a local vertex: mirrors of one rank lie together.
Rank owner_of(const Graph& graph, Local v) {
  if (v < graph.owned()) return graph.world().rank();
  const Mirrors& mirrors = graph.mirrors();
  for (std::size_t r = 0; r < mirrors.begin.size(); ++r)
    if (v >= mirrors.begin[r] && v < mirrors.begin[r] + mirrors.count[r]) return static_cast<Rank>(r);
  return graph.world().rank();
}

// Puts the two directions of undirected edges together, on the rank that owns the smaller end, and copies of an edge.
void put_together(const Graph& graph, const Array<double>& by_edge, EdgeBetweennessResult& result) {
  World& world = graph.world();
  std::vector<std::vector<EdgeScore>> outgoing(static_cast<std::size_t>(world.size()));
  for (Local v = 0; v < graph.active(); ++v)
    for (Edge e = graph.out().offsets[v]; e < graph.out().offsets[index(v) + 1]; ++e) {
      const Local u = graph.out().targets[e];
      const Vertex here = graph.id_of(v), there = graph.id_of(u);
      if (graph.directed() || here <= there) {
        outgoing[static_cast<std::size_t>(world.rank())].push_back({here, there, by_edge[e]});
      } else {
        outgoing[static_cast<std::size_t>(owner_of(graph, u))].push_back({there, here, by_edge[e]});
      }
    }
  std::vector<EdgeScore> edges;
  for (const auto& part : world.exchange(std::move(outgoing))) edges.insert(edges.end(), part.begin(), part.end());
  std::ranges::sort(edges, {}, [](const EdgeScore& e) { return std::tuple(e.source, e.target, e.score); });
  std::size_t kept = 0;
  for (const EdgeScore& edge : edges) {
    if (kept > 0 && edges[kept - 1].source == edge.source && edges[kept - 1].target == edge.target) {
      edges[kept - 1].score += edge.score;
    } else {
      edges[kept++] = edge;
    }
  }
  result = {Array<Vertex>(kept), Array<Vertex>(kept), Array<double>(kept)};
  for (std::size_t k = 0; k < kept; ++k) {
    result.source[k] = edges[k].source;
    result.target[k] = edges[k].target;
    result.score[k] = edges[k].score;
  }
}

}  // namespace

EdgeBetweenness::EdgeBetweenness(const Graph& graph, PathLength length) : graph_(graph) {
  if (length == PathLength::edges && graph.world().size() == 1) {
    serial_ = std::make_unique<SourcePerThread>(graph, ScoresOf::edges);
  } else {
    any_rank_ = std::make_unique<BetweennessWeighted>(graph, length);
  }
}
EdgeBetweenness::~EdgeBetweenness() = default;

void EdgeBetweenness::run(std::span<const Vertex> sources, EdgeBetweennessResult& result, const Progress& progress) {
  Array<double> by_edge(graph_.out().targets.size(), 0);
  if (serial_) {
    serial_->add(active_locals(graph_, sources), by_edge, progress);
  } else {
    any_rank_->run_edges(sources, by_edge, progress);
  }
  put_together(graph_, by_edge, result);
}

}  // namespace atl
