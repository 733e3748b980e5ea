// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/matrix.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>

/// Matrices under new row and column numbers.
///
///     SparseMatrix<float> b = permuted(team, a.view(), numbers, numbers);    // P A P^T
///     permute_rows(team, x.view(), numbers, y.view());                       // row i of x becomes row numbers[i] of y
///     permute_rows_back(team, y.view(), numbers, x.view());                  // and back
///     Array<Local> old = inverse(team, numbers);                             // [new row] -> old row
///
/// Numbers are a permutation: [old] -> new. All functions throw InputError that names the first wrong number where it is
/// none; that costs a pass over the numbers.
namespace atl {

/// Rows that 32-bit numbers count.
inline constexpr std::int64_t kMostRows = INT32_MAX;

Array<Local> inverse(Team& team, std::span<const Local> numbers);

/// Nonzero (i, j) becomes (rows[i], columns[j]); columns ascend in its rows, duplicates stay in their order.
template <class T>
SparseMatrix<T> permuted(Team& team, const SparseView<T>& a, std::span<const Local> rows,
                         std::span<const Local> columns);

/// `to` must be as large as `from`, and another matrix.
template <class T>
void permute_rows(Team& team, MatrixView<const T> from, std::span<const Local> numbers, MatrixView<T> to);
template <class T>
void permute_rows_back(Team& team, MatrixView<const T> from, std::span<const Local> numbers, MatrixView<T> to);

}  // namespace atl
