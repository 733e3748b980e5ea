// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/block_cyclic.hpp>
#include <atoll/matrix/matrix.hpp>

namespace atl {

/// All pairs' distances: each rank has the blocks of its place in the grid, one matrix by rows. Entry (i, j) is the length
/// of a shortest path from the i'th to the j'th vertex in ascending order of original ids; kNoPath where there is none.
template <class T>
struct Distances {
  GridLayout layout;
  Matrix<T> local;  ///< layout.rows.size_on(my row) x layout.cols.size_on(my column)
};

}  // namespace atl
