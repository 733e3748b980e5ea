// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/engine/edge_weighting.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>

/// Communities of an undirected graph by modularity, over any number of ranks: Louvain [1] and Leiden [2].
///
///     CommunityDetection louvain(graph, CommunityMethod::louvain);      // collective
///     CommunityDetectionResult r;
///     louvain.run({.resolution = 1}, r);                                // collective; r.community[i] by owned index
///
/// Maximizes Q = sum over communities c of L_c / m - resolution (k_c / 2m)^2, where m is the weight of all edges, L_c
/// of those inside c, and k_c the sum of the weighted degrees of its vertices, a self-loop counting twice. Both methods
/// end where no two communities together have a greater Q. Every community of Leiden is connected.
///
/// Several threads move vertices at the same time, so another run, and another number of ranks, may find other
/// communities of about the same Q; one thread on one rank always finds the same.
///
/// Over ranks, a graph that fits on rank 0 (Plan::replicated_bytes) is gathered there and searched as on one rank. Of a
/// larger one each rank moves, and for Leiden refines, its vertices on the first level of a pass; rank 0 does the levels
/// behind it, which are far smaller.
///
/// Memory on one rank: 12 bytes for each vertex and thread (where all edges count alike 8, and 12 for each vertex of
/// the level behind the first) and some 60 for each vertex, 24 for each edge of the level behind the first. Over ranks
/// besides on rank 0 the gathered graph, 4 bytes for each entry of its lists and what its weight has; or as
/// MovingOverRanks, and on rank 0 48 bytes for each edge of the level behind the first that a rank has found.
/// [1] V. D. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre. "Fast unfolding of communities in large networks."
/// Journal of Statistical Mechanics P10008, 2008. [2] V. A. Traag, L. Waltman, N. J. van Eck. "From Louvain to Leiden:
/// guaranteeing well-connected communities." Scientific Reports 9:5233, 2019.
namespace atl {

enum class CommunityMethod { louvain, leiden };

struct CommunityDetectionOptions {
  double resolution = 1;   ///< above 0; greater ones find smaller communities
  int iterations = 2;      ///< passes over all levels, each from the communities of the one before; fewer if one gains
                           ///< nothing
  Progress progress = {};  ///< levels done
};

struct CommunityDetectionResult {
  Array<Vertex> community;  ///< [owned index] the smallest original id of the vertex's community
  Vertex communities = 0;   ///< on all ranks; a vertex without edges is one
  double modularity = 0;    ///< 0 if there is no edge
  int levels = 0;           ///< graphs on which vertices were moved, of all passes
};

class CommunityDetection {
 public:
  /// Collective. InputError, the same on all ranks, if the graph is directed, or by weight if it has none or one is
  /// negative or not finite.
  explicit CommunityDetection(const Graph& graph, CommunityMethod method, EdgeWeighting weights = EdgeWeighting::ones);
  ~CommunityDetection();
  CommunityDetection(const CommunityDetection&) = delete;
  CommunityDetection& operator=(const CommunityDetection&) = delete;

  /// Collective. InputError, the same on all ranks, if the resolution is not above 0 and finite, or
  /// iterations are not.
  void run(const CommunityDetectionOptions& options, CommunityDetectionResult& result);
  std::size_t memory_bytes() const;

 private:
  class Search;  // on one rank, or over several
  class OneRank;
  class OnFirstRank;
  class OverRanks;
  std::unique_ptr<Search> search_;
};

}  // namespace atl
