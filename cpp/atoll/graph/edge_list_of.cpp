// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/edge_list_of.hpp>

namespace atl {

EdgeList edge_list_of(const Graph& graph) {
  EdgeList edges;
  edges.directed = graph.directed();
  edges.name = graph.name();
  const Csr& out = graph.out();
  // An undirected edge is in the lists of both ends (a loop once): the greater end's is left out.
  const auto is_kept = [&](Vertex u, Vertex v) { return graph.directed() || u <= v; };
  std::size_t count = 0;
  const auto for_each = [&](auto&& f) {
    for (Local v = 0; v < graph.active(); ++v) {
      graph.world().team().cancellation_point();
      const Vertex id = graph.id_of(v);
      const Edge begin = out.offsets[v];
      const auto heads = out.neighbours(v);
      for (std::size_t k = 0; k < heads.size(); ++k)
        if (const Vertex to = graph.id_of(heads[k]); is_kept(id, to)) f(id, to, static_cast<std::size_t>(begin) + k);
    }
  };
  for_each([&](Vertex, Vertex, std::size_t) { ++count; });
  Array<Vertex> source(count), target(count);
  std::size_t at = 0;
  for_each([&](Vertex u, Vertex v, std::size_t) {
    source[at] = u;
    target[at++] = v;
  });
  std::visit(
      [&](const auto& weights) {
        using Column = std::decay_t<decltype(weights)>;
        if constexpr (!std::is_same_v<Column, std::monostate>) {
          Column kept(count);
          std::size_t k = 0;
          for_each([&](Vertex, Vertex, std::size_t e) { kept[k++] = weights[e]; });
          edges.weight = std::move(kept);
        }
      },
      out.weights);
  edges.source = std::move(source);
  edges.target = std::move(target);
  for (Local v = 0; v < graph.owned(); ++v) edges.vertices.push_back(graph.id_of(v));
  return edges;
}

}  // namespace atl
