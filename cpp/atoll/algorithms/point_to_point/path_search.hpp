// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/path_length.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <vector>

/// A shortest path between two vertices, by edges or by weight, over any number of ranks.
///
///     PathSearch search(graph, PathLength::weights);     // collective; buffers for any number of paths
///     const VertexPath path = search.run(3, 17);           // collective; original ids; the same on all ranks
///     path.vertices;                                       // 3, .., 17; empty if there is none
///
/// Two searches meet: one from the source along the edges, one from the target against them. A path takes about the time
/// of the part of the graph that is nearer to an end than half its length. Where vertices have places in a plane (roads,
/// meshes), both searches prefer what lies between the ends, and visit less (A*).
namespace atl {

struct PlaneCoordinates;

struct VertexPath {
  std::vector<Vertex> vertices;  ///< original ids from the source to the target; empty if the target is not reached
  double length = 0;             ///< edges, or the sum of the weights from the source on; infinity if not reached
  Vertex visited = 0;            ///< vertices that the searches have reached; twice those that both have
};

class PathSearch {
 public:
  /// Collective. InputError, the same on all ranks, by_weight if the graph has no weights, or if one is negative,
  /// infinite or not a number; or if there is not one finite place for each vertex. Paths are as short with places as
  /// without, whatever these are: how far an edge leads at least is found from all edges. They serve in graphs whose whole
  /// weights add up to at most 2^53.
  PathSearch(const Graph& graph, PathLength length, const PlaneCoordinates* coordinates = nullptr);
  ~PathSearch();
  PathSearch(const PathSearch&) = delete;
  PathSearch& operator=(const PathSearch&) = delete;

  /// Collective. InputError, the same on all ranks, if an id is of no vertex, or if all weights are whole numbers and
  /// the length is one beyond 2^53 that a double does not hold.
  VertexPath run(Vertex source, Vertex target);
  std::size_t memory_bytes() const;

 private:
  class Variant;
  template <class Sum, class Keys>
  class Bidirectional;
  template <class Sum>
  void make(const Graph& graph, PathLength length, const PlaneCoordinates* coordinates);
  std::unique_ptr<Variant> variant_;
};

}  // namespace atl
