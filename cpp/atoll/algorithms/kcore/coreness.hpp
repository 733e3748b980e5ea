// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>

/// Core numbers of an undirected graph over any number of ranks: the largest k such that the vertex is in a subgraph in
/// which every vertex has at least k neighbours.
///
///     Coreness peeling(graph);                  // collective: counts neighbours
///     CorenessResult r;
///     peeling.run(r);                           // collective; r.core[i] by owned index
///
/// Removes the vertices that have at most k neighbours left, for k = 0, 1, ... [1]; linear in the edges. Weights,
/// self-loops and the number of edges between two vertices do not matter.
/// [1] V. Batagelj, M. Zaversnik. "An O(m) algorithm for cores decomposition of networks." arXiv cs/0310049, 2003.
namespace atl {

struct CorenessResult {
  Array<Vertex> core;     ///< [owned index]
  Vertex degeneracy = 0;  ///< the largest core number on all ranks
  int rounds = 0;         ///< rounds of exchanges between ranks; on one rank: levels
};

class Coreness {
 public:
  /// Collective. InputError if the graph is directed.
  explicit Coreness(const Graph& graph);
  ~Coreness();
  Coreness(const Coreness&) = delete;
  Coreness& operator=(const Coreness&) = delete;

  /// Collective.
  void run(CorenessResult& result);
  std::size_t memory_bytes() const;

 private:
  class Peeling;  // on one rank, over several, or over a vertex-cut
  class OneRank;
  class Distributed;
  class OnVertexCut;
  std::unique_ptr<Peeling> peeling_;
};

/// Once. Collective. InputError if the graph is directed.
CorenessResult coreness(const Graph& graph);

}  // namespace atl
