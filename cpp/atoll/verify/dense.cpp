// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/verify/dense.hpp>

namespace atl {

Array<Vertex> dense_of(World& world, const IdMap& ids, std::span<const Vertex> original) {
  return VertexLookup(world, ids).dense_of(original);
}

DenseLists::DenseLists(const Graph& graph) : graph_(graph), dense_(static_cast<std::size_t>(graph.locals())) {
  World& world = graph.world();
  const Vertex begin = graph.blocks().begin(world.rank());
  const auto owned = static_cast<std::size_t>(graph.owned());
  for (Local v = 0; v < graph.owned(); ++v) dense_[v] = begin + graph.owned_index_of(v);
  std::vector<Vertex> mirrors;
  for (std::size_t v = owned; v < dense_.size(); ++v) mirrors.push_back(graph.id_of(static_cast<Local>(v)));
  const Array<Vertex> dense = dense_of(world, graph.ids(), mirrors);
  std::copy(dense.begin(), dense.end(), dense_.begin() + owned);
}

Tuples DenseLists::tuples() const {
  return {static_cast<std::size_t>(graph_.out().size()),
          [this](std::size_t first, std::span<Vertex> source, std::span<Vertex> target) {
            const Csr& out = graph_.out();
            const auto at = static_cast<Edge>(first);
            const Edge* row = std::upper_bound(out.offsets.begin(), out.offsets.end(), at) - 1;
            auto v = static_cast<std::size_t>(row - out.offsets.begin());
            for (std::size_t k = 0; k < source.size(); ++k) {
              const std::size_t e = first + k;
              while (out.offsets[v + 1] <= static_cast<Edge>(e)) ++v;
              source[k] = dense_[v];
              target[k] = dense_[out.targets[e]];
            }
          }};
}

}  // namespace atl
