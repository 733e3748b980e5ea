// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/sparse/sparse_matrix.hpp>

namespace atl::order {

/// The pattern of a square A where it is symmetric, else of A + A^T: then a nonzero of both counts twice. Rows are in
/// any order. Refers to A's arrays where A is symmetric; the check takes a transpose, about the time of two passes over
/// the nonzeros.
class SymmetricPattern {
 public:
  SymmetricPattern(Team& team, const SparsePattern& a);
  const SparsePattern& pattern() const { return pattern_; }

 private:
  SparsePattern pattern_;
  Array<Edge> offsets_;  // empty: those of A
  Array<Local> places_;
};

}  // namespace atl::order
