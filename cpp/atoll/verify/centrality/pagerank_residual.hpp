// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <optional>

/// Checks PageRank scores: by how much one more iteration F, in double, changes them. Never calls the algorithm.
///
///     Verdict verdict = verify_pagerank(graph, scores, {.damping = 0.85, .tolerance = 1e-6});    // collective
///
///     F(x)(v) = (1 - d) p(v) + d (sum over edges u -> v of x(u) w(u, v) / w(u)  +  s p(v))
///
/// with w(u) the sum of w over the edges that leave u, w = 1 or the edges' weights.
///
///     rule 1  scores are finite, and x(v) >= (1 - d) p(v), the part from jumps alone
///     rule 2  the sum of x is 1 if the rank of dangling vertices is spread
///     rule 3  the sum of |F(x) - x| <= bound: d * tolerance for scores that stopped when a change fell below the
///             tolerance, since F contracts differences by d; d^k * sum of |F(p) - p| after k iterations from p; the
///             larger of the two if both are given
///     rule 4  if iterations are repeated: x(v) equals the result of k iterations from p up to rounding, whose bound
///             is propagated along the edges
///
/// The effect of rounding is added to each bound: (indegree(v) + 4) x(v) u per iteration, where u is half a unit in the
/// last place of the scores' type, and 2 / (1 - d) times that in total. So a change of one score by less than about the
/// bound is not detected: use a small tolerance. After few iterations the bound is wide (0.85^10 = 0.2), and only rule
/// 4 detects two swapped scores. A small residual also bounds the error: the scores differ from the solution by at most
/// bound / (1 - d) in the sum of differences.
///
/// Cost: one iteration; two if the number of iterations is given, 2k to repeat them.
namespace atl {

/// Treatment of the rank of dangling vertices: no edge leaves them, or only edges of weight 0.
enum class LostRank { spread, ignored };

/// How scores after k iterations are checked: by how much they may still change (rule 3), or by repeating them (rule
/// 4).
enum class Iterations { bounded, repeated };

struct PageRankCheckOptions {
  double damping = 0.85;
  std::optional<double> tolerance = 1e-6;
  std::optional<int> iterations = {};
  Iterations check = Iterations::bounded;  ///< `repeated` needs iterations and ignores the tolerance
  LostRank lost = LostRank::spread;
  std::span<const double> personalization = {};  ///< as for the algorithm
  bool weighted = false;                         ///< the walk takes edges in proportion to their weights
  double unit = 0x1p-53;                         ///< half a unit in the last place: 0x1p-24 for scores in float
};

/// Throws InputError, the same on all ranks, for options out of range and sizes that do not fit.
Verdict verify_pagerank(const Graph& graph, std::span<const double> score, const PageRankCheckOptions& terms = {});

}  // namespace atl
