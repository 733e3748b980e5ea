// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/engine/edge_weighting.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>

/// Centralities by the spectrum of the adjacency matrix, over any number of ranks and any cut: eigenvector and Katz
/// centrality, hubs and authorities.
///
///     EigenvectorCentrality search(graph, EdgeWeighting::ones);    // collective: layouts and buffers
///     SpectralResult r;
///     search.run({}, r);                                        // collective; r.score[i] by owned index
///
/// A(u, v) is 1 for an edge u -> v, or with EdgeWeighting::of_edges the edge's weight, finite and not negative; an
/// undirected edge counts as one in each direction, a multi-edge as often as the graph has it. Sums differ in their
/// last digits with the number of threads and ranks.
namespace atl {

struct SpectralOptions {
  /// Ends when the sum of |change| over all vertices is below it.
  double tolerance = 1e-6;
  int max_iterations = 100;
  Progress progress = {};  ///< iterations
};

struct SpectralResult {
  Array<double> score;  ///< [owned index] its squares sum to 1
  int iterations = 0;
  double change = 0;  ///< sum of |change| in the last iteration
  bool converged = false;
};

class SpectralIteration;

/// The eigenvector x = A^T x / k of the largest eigenvalue k [1]: a vertex is central where edges enter from central
/// ones. By power iteration of A^T + 1, which converges on bipartite graphs too. Of a graph without a cycle k is 0, and
/// the iteration does not end before max_iterations.
/// [1] P. Bonacich. "Power and centrality: a family of measures." American J. Sociology 92(5), 1987.
class EigenvectorCentrality {
 public:
  /// Collective. InputError, the same on all ranks, if weights are wanted and the graph has none, or one
  /// that is negative or not finite.
  EigenvectorCentrality(const Graph& graph, EdgeWeighting weighting);
  ~EigenvectorCentrality();
  EigenvectorCentrality(const EigenvectorCentrality&) = delete;
  EigenvectorCentrality& operator=(const EigenvectorCentrality&) = delete;

  /// Collective.
  void run(const SpectralOptions& options, SpectralResult& result);
  double eigenvalue() const { return eigenvalue_; }  ///< k of the last run
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<SpectralIteration> iteration_;
  double eigenvalue_ = 0;
};

/// Katz centrality [1]: x = alpha A^T x + beta. It exists where alpha is below 1 / k, k the largest eigenvalue of A.
/// [1] L. Katz. "A new status index derived from sociometric analysis." Psychometrika 18(1), 1953.
class KatzCentrality {
 public:
  /// Collective. InputError as EigenvectorCentrality.
  KatzCentrality(const Graph& graph, EdgeWeighting weighting);
  ~KatzCentrality();
  KatzCentrality(const KatzCentrality&) = delete;
  KatzCentrality& operator=(const KatzCentrality&) = delete;

  /// Collective. InputError, the same on all ranks, where the sums grow beyond what a double holds.
  void run(double alpha, double beta, const SpectralOptions& options, SpectralResult& result);
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<SpectralIteration> iteration_;
};

struct HitsResult {
  Array<double> hub, authority;  ///< [owned index] each sums to 1
  int iterations = 0;
  double change = 0;  ///< sum of |change| of hubs in the last iteration
  bool converged = false;
};

/// Hubs and authorities [1]: a = A^T h and h = A a, each scaled to the sum 1; by power iteration from equal hubs. Where
/// the largest singular value of A is not simple the answer depends on that start.
/// [1] J. Kleinberg. "Authoritative sources in a hyperlinked environment." J. ACM 46(5), 1999.
class Hits {
 public:
  /// Collective. InputError as EigenvectorCentrality.
  Hits(const Graph& graph, EdgeWeighting weighting);
  ~Hits();
  Hits(const Hits&) = delete;
  Hits& operator=(const Hits&) = delete;

  /// Collective.
  void run(const SpectralOptions& options, HitsResult& result);
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<SpectralIteration> to_authorities_, to_hubs_;
};

}  // namespace atl
