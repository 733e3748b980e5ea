// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>
#include <optional>
#include <variant>

/// The arcs of a dense matrix of weights, in two passes of all threads over it: entry (i, j) is the arc from i to j.
///
///     const MatrixArcs arcs = arcs_of_matrix<float>(team, {.view = weights.view(), .name = "weights"});
///     std::visit([](const auto& arcs) { arcs.weights_of(3); }, arcs);
///
/// Vertices have the ids 0 .. n-1. Weights come in the narrowest of the three types that holds each of them, so that
/// none is converted twice; a symmetric matrix is an undirected graph.
namespace atl {

template <class S>
struct MatrixWeights {
  MatrixView<const S> view;
  std::optional<S> no_edge =
      {};  ///< an entry of this value is no arc, nor is infinity (over max_plus, max_min -infinity)
  Semiring semiring = Semiring::min_plus;
  ArcWeights weights = ArcWeights::as_given;
  std::string name = "graph";
};

using MatrixArcs = std::variant<ReplicatedCsr<std::int32_t>, ReplicatedCsr<float>, ReplicatedCsr<double>>;

/// Local; the same on all ranks with the same matrix. The diagonal is not read as arcs. S is float, double, int32 or
/// int64. Throws InputError that names the first entry which is not a number, infinite of the other sign, a whole number
/// beyond 2^53, or on the diagonal below 0 (over max_plus above): a cycle around which paths improve without end.
template <class S>
MatrixArcs arcs_of_matrix(Team& team, const MatrixWeights<S>& matrix);

}  // namespace atl
