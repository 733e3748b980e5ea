// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>

/// A sparse matrix distributed by rows, with global column numbers: what a distributed product is planned from.
///
///     const auto a = rows_of<float>(graph, {.values = EdgeValues::gcn, .self_loops = Diagonal::add});
///
/// Row i of a rank is global row blocks.begin(rank) + i; column j of the matrix is owned by column_blocks.owner(j), which
/// has row j of the dense factor.
namespace atl {

template <class T>
struct MatrixRows {
  Blocks blocks = {};          ///< of rows, over all ranks
  Blocks column_blocks = {};   ///< of columns; of an adjacency matrix the same
  Array<Edge> offsets = {};    ///< [own row]
  Array<Vertex> columns = {};  ///< global
  Array<T> values = {};        ///< empty: all are 1

  std::int64_t rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::size_t memory_bytes() const {
    return offsets.size() * sizeof(Edge) + columns.size() * sizeof(Vertex) + values.size() * sizeof(T);
  }
};

enum class EdgeValues {
  weights,  ///< those of the edges; 1 where there are none
  ones,     ///< 1
  gcn,      ///< w(i, j) / sqrt(d(i) d(j)), d: sum of the row's weights (Kipf and Welling, ICLR 2017)
};
enum class Diagonal {
  keep,  ///< as the graph's self-loops are
  add,   ///< with a nonzero of weight 1 in rows that have none on the diagonal
};
struct AdjacencyOptions {
  EdgeValues values = EdgeValues::weights;
  Diagonal diagonal = Diagonal::keep;
};

/// The adjacency matrix of a graph: row i has a nonzero in column j for each edge from j to i, so that A B sums over
/// the neighbours whose edges enter a vertex. Rows are in owned order (ascending original ids), columns ascend.
/// Collective.
template <class T>
MatrixRows<T> rows_of(const Graph& graph, const AdjacencyOptions& options = {});

/// The rows as a matrix on its own where one rank has all of them.
template <class T>
SparseMatrix<T> matrix_of(MatrixRows<T>&& rows);

}  // namespace atl
