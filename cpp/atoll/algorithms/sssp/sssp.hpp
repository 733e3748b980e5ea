// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>

/// Shortest paths from one source over any number of ranks, with sums in float or double, as wide as the graph's
/// weights or wider.
///
///     Sssp<float> sssp(graph);            // collective; sorted lists and buffers are made once
///     SsspResult<float> r;                // its arrays are used again
///     sssp.run(1, r);                     // 1 is an original id; r.distance[natural], r.parent[natural]
///
/// dist(v) = min over edges u -> v of dist(u) + w, dist(source) = 0, every sum rounded to Real: the distances are those
/// of Dijkstra's algorithm in the same arithmetic, bit by bit, whatever the threads and ranks. Whole numbers whose sums
/// double could round, and that stay below 2^62, are added up exactly. The parents are a tree, also
/// along edges of weight 0, and dist(v) == dist(parent(v)) + w holds exactly for an edge between them (kernel 3 of
/// Graph500). Directed graphs are followed from source to target.
namespace atl {

struct SsspOptions {
  /// Width of a bucket, in units of the weights; none: chosen from them.
  std::optional<double> delta = {};
};

template <class Real>
struct SsspResult {
  Array<Real> distance;  ///< [natural] infinity where not reached
  Array<Vertex> parent;  ///< [natural] original ids; the source's own is itself, kNoVertex where not reached
  Vertex reached = 0;    ///< on all ranks, the source included
};

template <class Real>
class Sssp {
 public:
  /// Collective. InputError, before any work, if the graph has no weights or some that Real would round, if one is
  /// negative, infinite or not a number, or if delta is not above 0.
  explicit Sssp(const Graph& graph, const SsspOptions& options = {});
  ~Sssp();
  Sssp(const Sssp&) = delete;
  Sssp& operator=(const Sssp&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`; of double, that names a vertex whose
  /// distance, a sum of whole numbers beyond 2^53, it does not hold.
  void run(Vertex source, SsspResult<Real>& result);
  std::size_t memory_bytes() const;

 private:
  class Search;  // on one rank, over several
  template <class Sum>
  class OneRank;
  template <class Sum>
  class Distributed;
  template <class Sum>
  class OnVertexCut;  // a vertex-cut
  std::unique_ptr<Search> search_;
};

}  // namespace atl
