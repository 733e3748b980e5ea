// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <tuple>
#include <vector>

/// Graphs given edge by edge, and values of their vertices in the order of ids.
namespace small {

using atl::Local;
using atl::Rank;
using atl::Vertex;
using WeightedEdge = std::tuple<Vertex, Vertex, double>;

inline atl::Plan one_thread() {
  atl::Plan plan;
  plan.threads = 1;
  plan.timeout_seconds = 120;
  return plan;
}

/// Ids 0 .. n - 1, blocked; edges are distributed round-robin. Collective.
inline atl::Graph build(atl::World& world, Vertex n, const std::vector<WeightedEdge>& edges, bool directed = false) {
  std::vector<WeightedEdge> mine;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (static_cast<Rank>(i % static_cast<std::size_t>(world.size())) == world.rank()) mine.push_back(edges[i]);
  atl::Array<Vertex> source(mine.size()), target(mine.size());
  atl::Array<double> weight(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) std::tie(source[i], target[i], weight[i]) = mine[i];
  atl::EdgeList list;
  list.source = std::move(source);
  list.target = std::move(target);
  list.weight = std::move(weight);
  list.directed = directed;
  list.range = atl::IdRange{0, n};
  list.name = "small";
  return atl::Graph::build(world, std::move(list));
}

/// [local master] of [id].
template <class T>
std::vector<T> local(const atl::Graph& graph, const std::vector<T>& by_id) {
  std::vector<T> mine;
  for (Local v = 0; v < graph.owned(); ++v) mine.push_back(by_id[static_cast<std::size_t>(graph.id_of(v))]);
  return mine;
}

/// [id] of [local master]. Collective.
template <class T>
std::vector<T> by_id(const atl::Graph& graph, const std::vector<T>& local) {
  std::vector<T> mine;
  for (Vertex k = 0; k < graph.owned(); ++k) mine.push_back(local[static_cast<std::size_t>(graph.local_of(k))]);
  return graph.world().all_gather_varying(std::span<const T>(mine));
}

}  // namespace small
