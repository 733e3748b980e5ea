// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/graph/partition/blocks.hpp>
#include <atoll/runtime/world.hpp>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace atl {

/// The edge of a rooted forest from a vertex to its parent; a root's parent is the vertex itself.
struct TreeEdge {
  Vertex vertex, parent;
  double weight;
  auto order() const { return std::tuple(weight, std::min(vertex, parent), std::max(vertex, parent)); }
};

/// Roots of vertices, and the last edges of paths, in a forest that is spread over ranks: by steps of 1, 2, 4, ...
/// edges towards the root.
///
///     const ForestPaths paths(world, blocks, edges);      // collective; an edge for each vertex of this rank's block
///     paths.root(v);                                      // of a vertex of the block
///     paths.last_edges(ends);                             // collective: of the paths between pairs of vertices
///
/// Each takes as many exchanges as the depth of the deepest tree has bits, or twice as many. Memory: 48 bytes a vertex
/// of the block for each of these bits.
class ForestPaths {
 public:
  ForestPaths(World& world, const Blocks& blocks, const std::vector<TreeEdge>& edges);

  /// -1 where parents lead in a circle. For all other calls no parents may.
  Vertex root(Vertex v) const {
    const Steps& steps = levels_.back()[index(v - begin_)];
    return steps.at_root ? steps.to : -1;
  }
  /// The edge of greatest order() on the path between each pair of two vertices of the same tree. Collective.
  std::vector<TreeEdge> last_edges(std::span<const std::pair<Vertex, Vertex>> ends) const;

 private:
  // Up to 2^level edges towards the root.
  struct Steps {
    Vertex to, count;
    TreeEdge last;
    bool at_root;
  };
  // The climb from a pair of vertices to where their paths meet.
  struct Climb {
    Vertex a, b;
    TreeEdge last;
  };
  std::vector<Steps> fetch(std::size_t level, std::span<const Vertex> vertices) const;
  void level_out(std::vector<Climb>& climbs) const;

  World& world_;
  const Blocks& blocks_;
  const Vertex begin_;
  std::vector<std::vector<Steps>> levels_;
};

}  // namespace atl
