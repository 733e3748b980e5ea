// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/formats/named.hpp>
#include <atoll/graph/partition/load_balance.hpp>
#include <atoll/graph/partition/quality.hpp>

namespace atl {
PartitionQuality quality_of(World& world, const EdgeList& edges, const IdMap& ids, std::span<const Rank> owner,
                            const Hierarchy& machine, const Cost& cost) {
  cost.check_covers(machine);
  const NamedVertices named(world, ids.blocks(), edges);
  const std::vector<Rank> at = named.fetch(owner);
  const auto ranks = static_cast<std::size_t>(machine.size()), depth = static_cast<std::size_t>(machine.depth());
  std::vector<Edge> vertices(ranks, 0), ends(ranks, 0),
      boundaries(depth + 1, 0);  // boundaries: edges by separating level; last: edges inside a rank
  for (const Rank r : owner) ++vertices[r];
  std::visit(
      [&](const auto& source) {
        const auto& target = std::get<std::decay_t<decltype(source)>>(edges.target);
        for (std::size_t i = 0; i < source.size(); ++i) {
          const Rank a = at[named.index(static_cast<Vertex>(source[i]))],
                     b = at[named.index(static_cast<Vertex>(target[i]))];
          ++ends[a];
          if (source[i] != target[i]) ++ends[b];
          ++boundaries[a == b ? depth : static_cast<std::size_t>(machine.level_between(a, b))];
        }
      },
      edges.source);
  vertices = sum_each(world, vertices);
  ends = sum_each(world, ends);
  boundaries = sum_each(world, boundaries);
  PartitionQuality q;
  q.inside_ranks = boundaries[depth];
  q.at_level.assign(boundaries.begin(), boundaries.end() - 1);
  for (std::size_t l = 0; l < depth; ++l)
    q.equation1_s += static_cast<double>(boundaries[l]) * cost.at(static_cast<int>(l)).latency_s;
  q.vertex_imbalance = imbalance_of(vertices);
  q.edge_imbalance = imbalance_of(ends);
  for (std::size_t r = 0; r < ranks; ++r) ends[r] += vertices[r];
  q.load_imbalance = imbalance_of(ends);
  return q;
}

}  // namespace atl
