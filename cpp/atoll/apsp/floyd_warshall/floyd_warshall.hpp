// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/gemm.hpp>

/// All pairs of a dense matrix by blocked Floyd-Warshall on one rank (COAST, section IV).
///
///     Matrix<float> d = ...;                                  // One on the diagonal, Zero where there is no edge
///     Gemm gemm({Semiring::min_plus, Element::float32});
///     floyd_warshall(gemm, team, d.view());                   // d(i, j) is now the best of all walks from i to j
///
/// 2 n^3 operations, nearly all of them in Gemm. It allocates only two panels of n x b values.
namespace atl {

/// An improving cycle passes through this vertex, so no walk is the best one. The matrix is left at the step where the
/// cycle was found.
struct GainCycle {
  std::int64_t vertex;
};

struct FloydWarshallOptions {
  std::int64_t block = 0;   ///< b; 0: usual_block()
  bool undirected = false;  ///< d is symmetric: only its upper half is computed, half the work
  std::int64_t steps = 0;   ///< stop after so many blocks; 0: never
  /// Called after each block with the number of blocks done; false stops the run.
  std::function<bool(std::int64_t done)> after_block = {};
};

/// Where the time went.
struct FloydWarshallReport {
  std::int64_t block = 0, steps = 0;
  double diagonal_seconds = 0, panel_seconds = 0, outer_seconds = 0;
  double operations = 0;  ///< 2 for each (i, j, k) of the steps done; half of that where undirected

  /// Adds another run: keeps the larger block and sums the rest.
  void add(const FloydWarshallReport& run);
};

/// The default block: a multiple of the tile's sides, about n / 8, at most the product's depth.
std::int64_t usual_block(const Gemm& gemm, std::int64_t n);

/// d <- its closure. Returns an improving cycle; throws only bad_alloc.
template <class T>
std::optional<GainCycle> floyd_warshall(const Gemm& gemm, Team& team, MatrixView<T> d,
                                        const FloydWarshallOptions& options = {},
                                        FloydWarshallReport* report = nullptr);

/// The same for a diagonal block, which fits in the cache (DIAGUPDATE): blocked once more, with loops on single values
/// for the innermost blocks.
template <class T>
std::optional<GainCycle> close_block(const Gemm& gemm, Team& team, MatrixView<T> d);

/// to(j, i) = from(i, j).
template <class T>
void transpose(Team& team, MatrixView<const T> from, MatrixView<T> to);

}  // namespace atl
