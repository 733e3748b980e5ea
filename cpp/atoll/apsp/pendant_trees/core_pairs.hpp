// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/pendant_trees/pendant_trees.hpp>
#include <atoll/apsp/searches/choose_method.hpp>
#include <atoll/matrix/matrix.hpp>
#include <functional>

/// All pairs on one rank: removes pendant trees, computes each core by the method that suits it, and expands the
/// result.
///
///     Matrix<float> d = core_pairs<float>(team, arcs, {}, [&](const ReplicatedCsr<float>& core, MatrixView<float> d) {
///       set_arc_entries(team, core, Semiring::min_plus, d);
///       floyd_warshall(gemm, team, d);                   // false: a negative cycle
///     }, &report);
namespace atl {

struct PairsOptions {
  std::optional<PairsMethod> method;    ///< none: the fastest for each core, by estimate_methods()
  double operations_per_second = 1e11;  ///< rate of Floyd-Warshall on this machine, for that estimate
  double delta = 0;                     ///< 0: tuned
  PendantTreeRemoval pendant_trees = PendantTreeRemoval::yes;  ///< no: all vertices are one core
};

struct PairsReport {
  double work = 0, whole_work = 0;  ///< sum n_c^3 and n^3
  Vertex largest_core = 0, components = 0, peeled = 0;
  double peel_seconds = 0, core_seconds = 0, expand_seconds = 0;
  std::vector<MethodEstimate> estimates;  ///< of the largest core, if methods were compared
  PairsMethod method{};                   ///< of the largest core
  double delta = 0;                       ///< bucket width it used
};

/// Local. `dense` computes all distances of a core by Floyd-Warshall; this function rejects a negative entry on their
/// diagonal and names the cycle. Throws InputError like remove_pendant_trees() and search_rows().
template <class T>
Matrix<T> core_pairs(Team& team, const ReplicatedCsr<T>& arcs, const PairsOptions& options,
                     const std::function<void(const ReplicatedCsr<T>& core, MatrixView<T> d)>& dense,
                     PairsReport* report = nullptr);

}  // namespace atl
