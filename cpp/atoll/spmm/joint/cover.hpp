// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <compare>
#include <vector>

/// The least number of rows that two ranks, or two domains, must send each other for a block of a sparse matrix whose
/// rows one has and whose columns the other has. A nonzero (i, j) needs row j of B, sent to the owner of row i, or the
/// partial row i of C, sent by the owner of row j of B: so what is sent is a vertex cover of the bipartite graph of the
/// block, and the least is as large as a maximum matching (König's theorem), found by Hopcroft and Karp [1].
///
///     const RowCover cover = minimum_cover(std::move(nonzeros));   // of the block, in any order
///     cover.columns;                                               // rows of B to send
///     cover.rows;                                                  // rows of C to send back
///
/// [1] J. E. Hopcroft, R. M. Karp. "An n^(5/2) algorithm for maximum matchings in bipartite graphs." SIAM Journal on
/// Computing 2(4), 1973.
namespace atl::spmm {

/// Where a matrix has a nonzero.
struct Nonzero {
  Vertex column, row;
  auto operator<=>(const Nonzero&) const = default;
};

/// Both ascend.
struct RowCover {
  std::vector<Vertex> columns, rows;
  std::size_t size() const { return columns.size() + rows.size(); }
};

/// Returns, of all least covers, the one with the most columns: no other rank multiplies for these. It depends on
/// nothing but the set of nonzeros. O(nonzeros x sqrt(rows + columns)) time, mostly some ten passes.
RowCover minimum_cover(std::vector<Nonzero> nonzeros);

}  // namespace atl::spmm
