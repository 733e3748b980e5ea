// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>
#include <vector>

/// Shortest paths from one source along edges whose weights may be negative, over any number of ranks and any cut.
///
///     BellmanFord search(graph);            // collective; buffers for any number of sources
///     BellmanFordResult r;                  // its arrays are reused
///     search.run(1, r);                     // 1 is an original id; r.distance[i], r.parent[i] by owned index
///
/// dist(v) = min over edges u -> v of dist(u) + w, dist(source) = 0, summed as doubles. There is such a minimum unless a
/// cycle that the source reaches has a negative sum; an undirected edge of negative weight is such a cycle. Of several
/// shortest paths the tree has those of fewest edges, of several parents the least id: the same for any number of ranks
/// and threads. Where no weight is negative, Sssp finds the distances: it settles a vertex mostly once.
namespace atl {

struct BellmanFordResult {
  Array<double> distance;  ///< [owned index] infinity where not reached
  Array<Vertex> parent;    ///< [owned index] original id of the parent; the source's is its own, kNoVertex: not reached
  Vertex reached = 0;      ///< reached vertices on all ranks, the source included
  int rounds = 0;          ///< exchanges between ranks until no distance fell; 0 where no weight is negative
};

class BellmanFord {
 public:
  /// Collective. InputError, the same on all ranks, if the graph has no weights, or one is infinite or not a number.
  explicit BellmanFord(const Graph& graph);
  ~BellmanFord();
  BellmanFord(const BellmanFord&) = delete;
  BellmanFord& operator=(const BellmanFord&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`; if the source reaches a cycle of
  /// negative sum (the message has its vertices and the sum); or if all weights are whole numbers and a distance is
  /// beyond 2^53, where doubles round.
  void run(Vertex source, BellmanFordResult& result);
  /// A cycle of negative sum that the source reaches, or any if none is given: original ids along its edges, the least
  /// first, the same on all ranks; empty if there is none. Collective. InputError if no vertex has the id `source`.
  std::vector<Vertex> negative_cycle(std::optional<Vertex> source);
  std::size_t memory_bytes() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace atl
