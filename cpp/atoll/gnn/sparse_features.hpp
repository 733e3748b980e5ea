// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/gnn/dropout.hpp>
#include <atoll/gnn/gcn.hpp>

namespace atl {

/// Sparse features X and X^T with the values that an epoch keeps; for gcn.cpp and layers.cpp.
template <class T>
struct Gcn<T>::SparseFeatures {
  SparseMatrix<T> x, xt;      // xt has the values of the epoch
  Array<T> kept;              // of the epoch, by nonzero of x
  Array<Edge> from;           // [nonzero of xt] that of x
  Spmm<T> whole, some, back;  // by x, by x with `kept`, by xt

  SparseFeatures(Team& team, SparseMatrix<T>&& features)
      : x(with_values(std::move(features))),
        kept(x.values.size()),
        whole(x.view()),
        some({x.pattern(), kept.data()}),
        back(transposed_view(team)) {
    std::copy(x.values.begin(), x.values.end(), kept.begin());
  }
  SparseFeatures(const SparseFeatures&) = delete;

  std::size_t memory_bytes() const {
    return x.memory_bytes() + xt.memory_bytes() + kept.size() * sizeof(T) + from.size() * sizeof(Edge) +
           whole.memory_bytes() + some.memory_bytes() + back.memory_bytes();
  }

 private:
  static SparseMatrix<T> with_values(SparseMatrix<T>&& m) {
    if (m.values.empty()) m.values = Array<T>(m.column_indices.size(), T{1});
    return std::move(m);
  }
  SparseView<T> transposed_view(Team& team) {
    xt = transpose(team, x.view(), &from);
    return xt.view();
  }
};

}  // namespace atl
