// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/sparse/sparse_matrix.hpp>

namespace atl::order {

/// The columns of row i's nonzeros.
inline std::span<const Local> row(const SparsePattern& a, Local i) {
  const auto at = static_cast<std::size_t>(i);
  const auto begin = static_cast<std::size_t>(a.offsets[at]), end = static_cast<std::size_t>(a.offsets[at + 1]);
  return a.column_indices.subspan(begin, end - begin);
}

inline std::uint64_t degree(const SparsePattern& a, Local i) {
  const auto at = static_cast<std::size_t>(i);
  return static_cast<std::uint64_t>(a.offsets[at + 1] - a.offsets[at]);
}

/// The greatest number of nonzeros in a row.
inline std::uint64_t largest_degree(const SparsePattern& a) {
  std::uint64_t most = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) most = std::max(most, degree(a, static_cast<Local>(i)));
  return most;
}

}  // namespace atl::order
