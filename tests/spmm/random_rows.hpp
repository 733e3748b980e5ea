// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <vector>

/// A random matrix of which every rank can work out all rows, and a dense one likewise.
namespace random_rows {

/// Unequal blocks; from three ranks on, one without rows.
inline atl::Blocks blocks(atl::Rank ranks) {
  std::vector<atl::Vertex> first{0};
  for (atl::Rank r = 0; r < ranks; ++r) first.push_back(first.back() + (r == 1 && ranks > 2 ? 0 : 19 + 7 * (r % 3)));
  return atl::Blocks(first);
}

struct Entry {
  atl::Vertex column;
  double value;
};
/// Every fourth row is empty, row 5 is full, some columns are there twice; columns are in any order.
inline std::vector<Entry> row(atl::Vertex i, atl::Vertex n, bool weighted = true) {
  std::vector<Entry> out;
  if (i % 4 == 3) return out;
  const auto seed = static_cast<std::uint64_t>(i);
  const std::uint64_t length = i == 5 ? static_cast<std::uint64_t>(n) : atl::random_at(seed, 0) % 9;
  for (std::uint64_t e = 0; e < length; ++e) {
    const auto column =
        static_cast<atl::Vertex>(i == 5 ? e : atl::random_at(seed, 2 * e + 1) % static_cast<std::uint64_t>(n));
    out.push_back({column, weighted ? static_cast<double>(atl::random_at(seed, 2 * e + 2) % 65) / 16 - 2 : 1.0});
  }
  return out;
}

template <class T>
atl::MatrixRows<T> rows(const atl::Blocks& blocks, atl::Rank rank, bool weighted = true) {
  std::vector<atl::Edge> offsets{0};
  std::vector<Entry> all;
  for (atl::Vertex i = blocks.begin(rank); i < blocks.end(rank); ++i) {
    for (const Entry& entry : row(i, blocks.count(), weighted)) all.push_back(entry);
    offsets.push_back(static_cast<atl::Edge>(all.size()));
  }
  atl::MatrixRows<T> out{.blocks = blocks, .column_blocks = blocks};
  out.offsets = atl::Array<atl::Edge>(offsets.size());
  std::copy(offsets.begin(), offsets.end(), out.offsets.begin());
  out.columns = atl::Array<atl::Vertex>(all.size());
  if (weighted) out.values = atl::Array<T>(all.size());
  for (std::size_t e = 0; e < all.size(); ++e) {
    out.columns[e] = all[e].column;
    if (weighted) out.values[e] = static_cast<T>(all[e].value);
  }
  return out;
}

/// All rows, whichever ranks have them.
inline atl::SparseMatrix<float> matrix(atl::Vertex n) {
  std::vector<atl::Edge> offsets{0};
  std::vector<atl::Local> column_indices;
  for (atl::Vertex i = 0; i < n; ++i) {
    for (const auto& entry : row(i, n)) column_indices.push_back(static_cast<atl::Local>(entry.column));
    offsets.push_back(static_cast<atl::Edge>(column_indices.size()));
  }
  atl::SparseMatrix<float> a{.rows = n, .columns = n};
  a.offsets = atl::Array<atl::Edge>(offsets.size());
  a.column_indices = atl::Array<atl::Local>(column_indices.size());
  std::ranges::copy(offsets, a.offsets.begin());
  std::ranges::copy(column_indices, a.column_indices.begin());
  return a;
}

/// B of a call: different in every row, column and call; small multiples of 1/16, so that sums of products are exact.
inline double dense(atl::Vertex row, std::int64_t column, int call) {
  return static_cast<double>(
             atl::random_at(static_cast<std::uint64_t>(call) * 1000 + static_cast<std::uint64_t>(column),
                            static_cast<std::uint64_t>(row)) %
             257) /
             16 -
         8;
}

}  // namespace random_rows
