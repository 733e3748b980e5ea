// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>
#include <optional>

/// Whether scores are PageRank's: how far one more iteration F, in double, moves them. Never calls the algorithm.
///
///     Verdict verdict = verify_pagerank(graph, scores, {.damping = 0.85, .tolerance = 1e-6});    // collective
///
///     F(x)(v) = (1 - d) p(v) + d (sum over edges u -> v of x(u) / outdegree(u)  +  s p(v))
///
///     rule 1  scores are finite, and x(v) >= (1 - d) p(v): what v gets by jumps alone
///     rule 2  sum of x = 1 where the rank of vertices without a leaving edge is spread
///     rule 3  sum of |F(x) - x| <= bound: d * tolerance for scores that a change below the tolerance has ended, as F
///             shrinks differences by d; d^k * sum of |F(p) - p| after k iterations from p; the larger if both are
///             given
///     rule 4  x(v) is what k iterations from p give, where they are to be repeated, but for rounding: what each may
///             have done to v, and what it has become on its way along the edges since
///
/// To each bound comes what rounding may have done: (indegree(v) + 4) x(v) u in an iteration, u being half a unit in
/// the last place of the scores' type, 2 / (1 - d) times that in all. So a change of one score by less than about the
/// bound is not seen: ask for a small tolerance. After few iterations the bound is wide (0.85^10 = 0.2), and rule 4 is
/// the one that finds two scores that have been swapped. A small residual proves more than it says: the scores are within bound / (1 - d) of the solution, in the sum of differences.
///
/// Cost: one iteration, two where the number of iterations is given, 2k to repeat them.
namespace atl {

/// What the rank of vertices without a leaving edge does.
enum class LostRank { spread, ignored };

/// How scores after k iterations are checked: by how far they may still move (rule 3), or by doing them again (rule 4).
enum class Iterations { bounded, repeated };

struct PageRankCheckOptions {
  double damping = 0.85;
  std::optional<double> tolerance = 1e-6;
  std::optional<int> iterations = {};
  Iterations check = Iterations::bounded;  ///< `repeated` needs iterations, and leaves a tolerance out of account
  LostRank lost = LostRank::spread;
  std::span<const double> personalisation = {};  ///< as the algorithm's
  double unit = 0x1p-53;                         ///< half a unit in the last place: 0x1p-24 for scores in float
};

/// InputError, the same on all ranks, for terms out of their range and sizes that do not fit.
Verdict verify_pagerank(const Graph& graph, std::span<const double> score, const PageRankCheckOptions& terms = {});

}  // namespace atl
