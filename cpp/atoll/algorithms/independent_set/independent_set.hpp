// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>

/// A maximal independent set of an undirected graph, over any number of ranks: no two of its vertices are neighbours, and
/// every other vertex has a neighbour in it.
///
///     IndependentSet selection(graph);                  // collective
///     IndependentSetResult r;
///     selection.run({.seed = 7}, r);                    // collective; r.member[i] by owned index
///
/// The set is that of a serial algorithm that takes vertices by falling hash of their ids and the seed, and keeps those
/// without a neighbour taken [1]: the same for any ranks, threads and partition. Weights, self-loops and the number of edges
/// between two vertices do not matter. It goes over the edge-cut, whatever the graph's cut. Linear in the edges, but for
/// vertices that are examined again.
/// [1] M. Luby. "A simple parallel algorithm for the maximal independent set problem." SIAM J. Comput. 15(4), 1986, with
/// fixed priorities as in G. Blelloch, J. Fineman, J. Shun, SPAA 2012.
namespace atl {

struct IndependentSetOptions {
  std::uint64_t seed = 1;
};

struct IndependentSetResult {
  Array<Vertex> member;  ///< [owned index] 1 or 0
  Vertex size = 0;       ///< members on all ranks
};

class IndependentSet {
 public:
  /// Collective. InputError, the same on all ranks, if the graph is directed.
  explicit IndependentSet(const Graph& graph);
  ~IndependentSet();
  IndependentSet(const IndependentSet&) = delete;
  IndependentSet& operator=(const IndependentSet&) = delete;

  /// Collective.
  void run(const IndependentSetOptions& options, IndependentSetResult& result);
  std::size_t memory_bytes() const;

 private:
  class Selection;
  std::unique_ptr<Selection> selection_;
};

}  // namespace atl
