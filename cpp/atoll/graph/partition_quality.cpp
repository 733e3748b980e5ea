// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/named.hpp>
#include <atoll/graph/partition_quality.hpp>

namespace atl {
namespace {

double imbalance_of(const std::vector<Edge>& load) {
  Edge most = 0, sum = 0;
  for (const Edge l : load) {
    most = std::max(most, l);
    sum += l;
  }
  return sum == 0 ? 1 : static_cast<double>(most) * static_cast<double>(load.size()) / static_cast<double>(sum);
}

std::vector<Edge> sum_over_ranks(World& world, const std::vector<Edge>& mine) {
  std::vector<Edge> all(mine.size(), 0);
  const std::vector<Edge> parts = world.all_gather_varying(std::span<const Edge>(mine));
  for (std::size_t i = 0; i < parts.size(); ++i) all[i % all.size()] += parts[i];
  return all;
}

}  // namespace

PartitionQuality quality_of(World& world, const EdgeList& edges, const IdMap& ids, std::span<const Rank> owner,
                            const Hierarchy& machine, const Cost& cost) {
  cost.check_covers(machine);
  const NamedVertices named(world, ids.blocks(), edges);
  const std::vector<Rank> at = named.fetch(owner);
  const auto ranks = static_cast<std::size_t>(machine.size()), depth = static_cast<std::size_t>(machine.depth());
  std::vector<Edge> vertices(ranks, 0), ends(ranks, 0), walls(depth + 1, 0);  // walls: inside a rank last
  for (const Rank r : owner) ++vertices[static_cast<std::size_t>(r)];
  std::visit(
      [&](const auto& source) {
        const auto& target = std::get<std::decay_t<decltype(source)>>(edges.target);
        for (std::size_t i = 0; i < source.size(); ++i) {
          const Rank a = at[named.index(static_cast<Vertex>(source[i]))],
                     b = at[named.index(static_cast<Vertex>(target[i]))];
          ++ends[static_cast<std::size_t>(a)];
          if (source[i] != target[i]) ++ends[static_cast<std::size_t>(b)];
          ++walls[a == b ? depth : static_cast<std::size_t>(machine.level_between(a, b))];
        }
      },
      edges.source);
  vertices = sum_over_ranks(world, vertices);
  ends = sum_over_ranks(world, ends);
  walls = sum_over_ranks(world, walls);
  PartitionQuality q;
  q.inside_ranks = walls[depth];
  q.at_level.assign(walls.begin(), walls.end() - 1);
  for (std::size_t l = 0; l < depth; ++l)
    q.equation1_s += static_cast<double>(walls[l]) * cost.at(static_cast<int>(l)).latency_s;
  q.vertex_imbalance = imbalance_of(vertices);
  q.edge_imbalance = imbalance_of(ends);
  for (std::size_t r = 0; r < ranks; ++r) ends[r] += vertices[r];
  q.load_imbalance = imbalance_of(ends);
  return q;
}

}  // namespace atl
