// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>

/// Truss numbers of the edges of an undirected graph: the largest k such that the edge is in a subgraph in which every
/// edge is in at least k - 2 triangles, the k-truss.
///
///     TrussNumbers trusses(graph);              // collective
///     TrussNumbersResult r;                     // its arrays are reused
///     trusses.run(r);                           // collective
///
/// An edge in no triangle has 2. Weights, self-loops and the number of edges between two vertices do not matter: parallel
/// edges have the same number, self-loops 0. The answer is the same for any number of ranks and threads.
///
/// Peels edges of few triangles by all threads, level after level [1]. Memory on one rank (peeling.hpp): 45 bytes an edge,
/// which have to be less than 2^32. Over several rank 0 has 70 bytes for each edge of the graph, if this is at most
/// Plan::replicated_bytes (gathered_peeling.hpp); else each rank 16 for each neighbour of its vertices
/// (distributed_peeling.hpp).
///
/// [1] H. Kabir, K. Madduri. "Shared-memory graph truss decomposition." HiPC 2017.
namespace atl {

struct TrussNumbersResult {
  Array<Vertex> of_edge;   ///< of each of this rank's edges, in the order of for_each_edge() (edge_order.hpp)
  Array<Vertex> greatest;  ///< [owned index] the greatest of the vertex's edges; 0: it has no edge to another
  Vertex largest = 0;      ///< on all ranks; 0: no edge joins two vertices
};

class TrussNumbers {
 public:
  /// Collective. InputError, the same on all ranks, if the graph is directed, or one rank has 2^32 edges or more.
  explicit TrussNumbers(const Graph& graph);
  ~TrussNumbers();
  TrussNumbers(const TrussNumbers&) = delete;
  TrussNumbers& operator=(const TrussNumbers&) = delete;

  /// Collective.
  void run(TrussNumbersResult& result);
  std::size_t memory_bytes() const;

 private:
  class Decomposition;
  class OneRank;
  template <class Peeling>
  class OverRanks;
  std::unique_ptr<Decomposition> decomposition_;
};

/// Once. Collective.
TrussNumbersResult truss_numbers(const Graph& graph);

}  // namespace atl
