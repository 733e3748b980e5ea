// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>
#include <span>

/// PageRank, in float or double, over any number of ranks.
///
///     PageRank<float> pagerank(graph);                    // collective; builds layouts and buffers once
///     PageRankResult<float> r;                            // its array is reused
///     pagerank.run({.tolerance = 1e-6}, r);               // r.score[i] by owned index
///
/// Iterates, from x = p,
///
///     x(v) <- (1 - d) p(v) + d (sum over edges u -> v of x(u) w(u, v) / w(u)  +  s p(v))
///
/// with p the personalization (1/n if there is none), d the damping, w(u) the sum of w over the edges that leave u, and
/// s the sum of x over the dangling vertices, those with w(u) = 0; s = 0 with Dangling::ignore [1]. w is 1, so that
/// w(u) is the outdegree, or with Transition::by_weight the edge's weight, finite and >= 0. An undirected edge counts as
/// one in each direction; a multi-edge counts as often as the graph has it. Sums differ in their last digits with the
/// number of threads and ranks.
/// [1] S. Brin, L. Page. "The anatomy of a large-scale hypertextual Web search engine." WWW 1998. It does not define
/// dangling vertices: spread is NetworkX's way, ignore is GAP's.
namespace atl {

/// The rank of vertices without an out-edge is spread by the personalisation, or is lost.
enum class Dangling { spread, ignore };
/// How likely the walk takes each of the edges that leave a vertex: all alike, or in proportion to their weights.
enum class Transition { uniform, by_weight };

struct PageRankOptions {
  double damping = 0.85;
  /// Stop when the sum of |change| over all vertices is below this; empty: do max_iterations.
  std::optional<double> tolerance = 1e-6;
  int max_iterations = 100;
  Dangling dangling = Dangling::spread;
  /// One number >= 0 for each vertex of this rank, by owned index, with any positive sum over all ranks; empty:
  /// uniform.
  std::span<const double> personalization = {};
  /// Iterations; where a tolerance ends them, as many as are enough if each change is `damping` times the last.
  Progress progress = {};
};

/// Throws InputError if an option is out of its range; `owned`: number of vertices of this rank.
void check_options(const PageRankOptions& options, Local owned, const std::string& name);

template <class Real>
struct PageRankResult {
  Array<Real> score;  ///< [owned index]; sums to 1 where dangling is spread
  int iterations = 0;
  double change = 0;       ///< sum of |change| in the last iteration
  bool converged = false;  ///< a tolerance was given and change is below it
};

template <class Real>
class PageRankVariant;  // implements the iteration

template <class Real>
class PageRank {
 public:
  /// Collective. InputError, the same on all ranks, for by_weight if the graph has no weights, or one that is not finite
  /// or below 0.
  explicit PageRank(const Graph& graph, Transition transition = Transition::uniform);
  ~PageRank();
  PageRank(const PageRank&) = delete;
  PageRank& operator=(const PageRank&) = delete;

  /// Collective. InputError, before any work and the same on all ranks, if an option is out of its range.
  void run(const PageRankOptions& options, PageRankResult<Real>& result);
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<PageRankVariant<Real>> variant_;
};

}  // namespace atl
