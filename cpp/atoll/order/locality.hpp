// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/sparse/sparse_matrix.hpp>

/// How local the order of a matrix' rows and columns is.
///
///     Locality before = locality_of(team, a.pattern(), 64);
///     Locality after = locality_of(team, a.pattern(), 64, numbers);   // as if its rows and columns had these numbers
namespace atl {

struct Locality {
  Edge nonzeros = 0;
  std::int64_t bandwidth = 0;  ///< greatest |i - j| of a nonzero
  double mean_distance = 0;    ///< mean |i - j| of the nonzeros
  double mean_log2_gap = 0;    ///< mean log2(1 + gap) between columns that follow each other in a row
  /// The share of nonzeros in the diagonal blocks when rows and columns are cut into equal parts: what is local if each
  /// part is a rank's, or fits a cache.
  double inside_blocks = 0;
};

/// One pass over the nonzeros; rows that do not ascend are sorted on the side. The same for any number of threads. All
/// 0 where there is no nonzero. Throws InputError unless parts >= 1 and, where `numbers` are given, the matrix is square
/// and has as many rows; they are taken to be a permutation.
Locality locality_of(Team& team, const SparsePattern& a, std::int64_t parts, std::span<const Local> numbers = {});

}  // namespace atl
