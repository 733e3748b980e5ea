// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>
#include <span>

/// PageRank, in float or double, over any number of ranks.
///
///     PageRank<float> pagerank(graph);                    // collective; layouts and buffers are made once
///     PageRankResult<float> r;                            // its array is used again
///     pagerank.run({.tolerance = 1e-6}, r);               // r.score[natural]
///
/// Iterates, from x = p,
///
///     x(v) <- (1 - d) p(v) + d (sum over edges u -> v of x(u) / outdegree(u)  +  s p(v))
///
/// with p the personalisation (evenly 1/n if there is none), d the damping and s the sum of x over the vertices without
/// a leaving edge, 0 where it is ignored [1]. An undirected edge counts as one each way; weights are ignored; a
/// multi-edge counts as often as the graph has it. Sums differ in their last digits with the number of threads and ranks.
/// [1] S. Brin, L. Page. "The anatomy of a large-scale hypertextual Web search engine." WWW 1998; what vertices without
/// a leaving edge do is not in it: spread is NetworkX's way, ignore is GAP's.
namespace atl {

/// What the rank of vertices without a leaving edge does: goes where the personalisation says, or is lost.
enum class Dangling { spread, ignore };

struct PageRankOptions {
  double damping = 0.85;
  /// Stop when the sum of |change| over all vertices is below; none: do max_iterations.
  std::optional<double> tolerance = 1e-6;
  int max_iterations = 100;
  Dangling dangling = Dangling::spread;
  /// One number >= 0 for each vertex of this rank, in natural order, of any sum above 0 on all ranks; empty: all alike.
  std::span<const double> personalisation = {};
};

/// InputError if an option is out of its range; `owned` vertices of the graph are this rank's.
void check_options(const PageRankOptions& options, Local owned, const std::string& name);

template <class Real>
struct PageRankResult {
  Array<Real> score;  ///< [natural]; sums to 1 where dangling is spread
  int iterations = 0;
  double change = 0;       ///< sum of |change| in the last iteration
  bool converged = false;  ///< change is below the tolerance that was given
};

template <class Real>
class PageRankForm;  // how an iteration is done

template <class Real>
class PageRank {
 public:
  /// Collective.
  explicit PageRank(const Graph& graph);
  ~PageRank();
  PageRank(const PageRank&) = delete;
  PageRank& operator=(const PageRank&) = delete;

  /// Collective. InputError, before any work and the same on all ranks, if an option is out of its range.
  void run(const PageRankOptions& options, PageRankResult<Real>& result);
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<PageRankForm<Real>> form_;
};

}  // namespace atl
