// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/verify/violations.hpp>

/// Shared by the checks of clustering and triangles: neighbours ignoring directions, and neighbours of sampled vertices
/// on all ranks.
namespace atl {

/// f(neighbour) once for each neighbour in either direction, except v itself; both lists are sorted.
template <class F>
void for_neighbours(const Graph& graph, Local v, F&& f) {
  if (!graph.directed()) return for_distinct(graph.out(), v, f);
  const std::span<const Local> out = graph.out().neighbours(v), in = graph.in().neighbours(v);
  Local before = -1;
  for (std::size_t i = 0, k = 0; i < out.size() || k < in.size();) {
    const Local u = k == in.size() || (i < out.size() && out[i] <= in[k]) ? out[i++] : in[k++];
    if (u != v && u != before) f(u);
    before = u;
  }
}

inline Edge degree_of(const Graph& graph, Local v) {
  Edge degree = 0;
  for_neighbours(graph, v, [&](Local) { ++degree; });
  return degree;
}

/// Ids of v's neighbours, ascending.
inline std::vector<Vertex> neighbours_of(const Graph& graph, Local v) {
  std::vector<Vertex> ids;
  for_neighbours(graph, v, [&](Local u) { ids.push_back(graph.id_of(u)); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Calls f(id, owned index or -1 if another rank owns it, its neighbours) for `samples` vertices drawn by `seed`,
/// independent of the number of ranks; for all vertices if there are not more. Collective, and so may f be.
template <class F>
void for_sampled(const Graph& graph, Vertex samples, std::uint64_t seed, F&& f) {
  World& world = graph.world();
  const IdOrder order(world, graph.ids());
  const Vertex n = graph.vertices();
  for (Vertex i = 0; i < std::min(samples, n); ++i) {
    const Vertex position =
        samples >= n
            ? i
            : static_cast<Vertex>((static_cast<unsigned __int128>(random_at(seed, static_cast<std::uint64_t>(i))) *
                                   static_cast<std::uint64_t>(n)) >>
                                  64);
    const Rank at = order.blocks().owner(position);
    Vertex id = at == world.rank() ? order.id_at(position - order.blocks().begin(at)) : -1;
    id = world.max(id);
    const Vertex k = graph.ids().find_here(id);
    const std::vector<Vertex> mine = k >= 0 ? neighbours_of(graph, graph.local_of(k)) : std::vector<Vertex>();
    f(id, k, world.all_gather_varying(std::span<const Vertex>(mine)));
  }
}

}  // namespace atl
