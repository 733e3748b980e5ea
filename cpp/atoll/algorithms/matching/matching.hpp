// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>

/// A maximal matching of an undirected graph, over any number of ranks: edges without a common end, to which no edge can be
/// added.
///
///     Matching matching(graph, EdgeWeighting::of_edges);   // collective
///     MatchingResult r;
///     matching.run({.seed = 7}, r);                     // collective; r.mate[i] by owned index
///
/// The edges are those of a serial algorithm that takes them in an order and keeps each whose ends are free: by falling
/// weight, equal ones (or all) by a hash of their ends and the seed. So it is the same for any ranks, threads and partition;
/// and by weights that are not negative it weighs at least half of the heaviest matching [1]. An edge is kept once both its
/// ends want each other. Self-loops do not matter, of several edges between two vertices the heaviest counts. It goes over
/// the edge-cut, whatever the graph's cut.
/// [1] R. Preis. "Linear time 1/2-approximation algorithm for maximum weighted matching in general graphs." STACS 1999;
/// in parallel: F. Manne, R. Bisseling. "A parallel approximation algorithm for the weighted maximum matching problem."
/// PPAM 2007.
namespace atl {

struct MatchingOptions {
  std::uint64_t seed = 1;
};

struct MatchingResult {
  Array<Vertex> mate;       ///< [owned index] original id of the other end; kNoVertex if the vertex is free
  Vertex edges = 0;         ///< on all ranks
  double total_weight = 0;  ///< the same bits on all ranks; its last ones depend on how many there are
};

class Matching {
 public:
  /// Collective. InputError, the same on all ranks, if the graph is directed, has no weights to go by,
  /// or has lost greater weights of parallel edges (Graph::merged_to_least).
  Matching(const Graph& graph, EdgeWeighting weighting);
  ~Matching();
  Matching(const Matching&) = delete;
  Matching& operator=(const Matching&) = delete;

  /// Collective.
  void run(const MatchingOptions& options, MatchingResult& result);
  std::size_t memory_bytes() const;

 private:
  class Proposals;
  std::unique_ptr<Proposals> proposals_;
};

}  // namespace atl
