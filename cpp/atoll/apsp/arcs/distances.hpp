// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/block_cyclic.hpp>
#include <atoll/matrix/matrix.hpp>

namespace atl {

/// The distances of all pairs. Each rank stores the blocks of its place in the grid as one row-major matrix. Entry (i,
/// j) is the length of a shortest path from the i'th to the j'th vertex in ascending order of original ids; kNoPath if
/// there is none.
template <class T>
struct Distances {
  GridLayout layout;
  Matrix<T> local;  ///< layout.rows.size_on(my row) x layout.cols.size_on(my column)
};

}  // namespace atl
