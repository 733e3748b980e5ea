// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>
#include <vector>

/// Shortest paths from one source over any number of ranks, with sums in float or double, as wide as the graph's
/// weights or wider.
///
///     Sssp<float> sssp(graph);            // collective; builds sorted lists and buffers once
///     SsspResult<float> r;                // its arrays are reused
///     sssp.run(1, r);                     // 1 is an original id; r.distance[i], r.parent[i] by owned index
///
/// dist(v) = min over edges u -> v of dist(u) + w, dist(source) = 0, every sum rounded to Real: the distances equal
/// those of Dijkstra's algorithm in the same arithmetic bit by bit, for any number of threads and ranks. Whole-number
/// weights in double whose sums could round are summed exactly if no path reaches 2^62. The parents form a tree, also
/// along edges of weight 0, and dist(v) == dist(parent(v)) + w holds exactly for an edge between them (kernel 3 of
/// Graph500). In directed graphs, paths follow edges from source to target.
namespace atl {

struct SsspOptions {
  /// Width of a bucket, in units of the weights; if empty, chosen from the weights.
  std::optional<double> delta = {};
  /// Whether parents are found. Without them SsspResult::parent stays empty, and a search records no predecessors.
  bool tree = true;
};

template <class Real>
struct SsspResult {
  Array<Real> distance;  ///< [owned index] infinity where not reached
  /// [owned index] original id of the parent; the source's is its own, kNoVertex: not reached. Empty without a tree.
  Array<Vertex> parent;
  Vertex reached = 0;  ///< reached vertices on all ranks, the source included
  /// Owned indices of the vertices reached on this rank, where they are few. All other entries of the arrays are those
  /// of unreached vertices, and the next run into this result writes only what changes: who changes them resets this.
  std::optional<std::vector<Vertex>> listed = {};
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

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`, or if Real is double, all weights
  /// are whole numbers, and a distance beyond 2^53 is not representable (the message names the vertex).
  void run(Vertex source, SsspResult<Real>& result);
  std::size_t memory_bytes() const;

 private:
  class Search;
  template <class Method>
  class SearchBy;
  std::unique_ptr<Search> search_;
};

}  // namespace atl
