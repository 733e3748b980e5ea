// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>

/// The dense products of a layer of a neural network, for a tall X (n rows) and a small W (some hundred rows and columns
/// at most), row-major with any strides:
///
///     multiply(team, x.view(), w.view(), y.view());                // Y <- X W        forwards
///     multiply_transposed(team, x.view(), g.view(), dw.view());    // dW <- X^T G     gradient of W, G that of Y
///     transpose_of(w.view(), wt.view());
///     multiply(team, g.view(), wt.view(), dx.view());              // dX <- G W^T     gradient of X
///
/// Results overlap no factor. They do not depend on the number of threads: a row of Y is summed by one thread, in
/// order, and X^T G in chunks of rows that depend on n alone, whose sums are added in order. gemm/ is for square
/// products over semirings without a sum of products; what bounds these is the memory of the tall factors.
namespace atl {

/// Y <- X W: (n x k) (k x m) -> (n x m). n, k and m may be 0.
template <class T>
void multiply(Team& team, MatrixView<const T> x, MatrixView<const T> w, MatrixView<T> y, Isa isa = chosen_isa());

/// D <- X^T G: (n x k)^T (n x m) -> (k x m); 0 where n is 0. Memory: up to 64 times D.
template <class T>
void multiply_transposed(Team& team, MatrixView<const T> x, MatrixView<const T> g, MatrixView<T> d,
                         Isa isa = chosen_isa());

/// sums[j] <- the sum of column j of G.
template <class T>
void column_sums(Team& team, MatrixView<const T> g, T* sums);

/// T <- W^T.
template <class T>
void transpose_of(MatrixView<const T> w, MatrixView<T> t);

/// Rows [begin, end) of n that chunk k of row_chunks(n) has: at least 512, at most 64 chunks.
struct RowChunks {
  std::size_t rows = 0, each = 1;
  explicit RowChunks(std::int64_t n);
  std::size_t count() const { return (rows + each - 1) / each; }
  std::int64_t begin(std::size_t k) const { return static_cast<std::int64_t>(k * each); }
  std::int64_t end(std::size_t k) const { return static_cast<std::int64_t>(std::min(rows, (k + 1) * each)); }
};

}  // namespace atl
