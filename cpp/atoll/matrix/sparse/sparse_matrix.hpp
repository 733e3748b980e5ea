// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <span>
#include <string_view>

/// Sparse matrices in compressed sparse row form (CSR).
///
///     SparseMatrix<float> a{.rows = 2, .columns = 3, .offsets = .., .column_indices = .., .values = ..};
///     check_sparse(a.view(), "the adjacency matrix");
///     SparseMatrix<float> t = transpose(team, a.view());
namespace atl {

/// Where a matrix has nonzeros: row i has them in the columns column_indices[e], offsets[i] <= e < offsets[i + 1]. A
/// view.
struct SparsePattern {
  std::int64_t rows = 0, columns = 0;
  std::span<const Edge> offsets = {};          ///< rows + 1
  std::span<const Local> column_indices = {};  ///< column of each nonzero

  Edge nonzeros() const { return offsets.empty() ? 0 : offsets[offsets.size() - 1]; }
};

/// A view of a matrix with values.
template <class T>
struct SparseView {
  SparsePattern pattern;
  const T* values = nullptr;  ///< of each nonzero; null: all are 1
};

template <class T>
struct SparseMatrix {
  std::int64_t rows = 0, columns = 0;
  Array<Edge> offsets = {};
  Array<Local> column_indices = {};
  Array<T> values = {};  ///< empty: all are 1

  SparsePattern pattern() const {
    return {rows, columns, {offsets.data(), offsets.size()}, {column_indices.data(), column_indices.size()}};
  }
  SparseView<T> view() const { return {pattern(), values.empty() ? nullptr : values.data()}; }
  std::size_t memory_bytes() const {
    return offsets.size() * sizeof(Edge) + column_indices.size() * sizeof(Local) + values.size() * sizeof(T);
  }
};

/// Throws InputError that names `what`, the row and the value unless offsets begin at 0, never fall and end at the
/// number of column indices, each of which is a column, and no value is NaN.
template <class T>
void check_sparse(const SparseView<T>& a, std::string_view what);

/// The transpose; columns ascend in its rows if each column's rows are visited in order, so always. With `from`, also
/// from[e]: the nonzero of `a` that is the transpose's nonzero e, by which its values can be refreshed.
template <class T>
SparseMatrix<T> transpose(Team& team, const SparseView<T>& a, Array<Edge>* from = nullptr);

}  // namespace atl
