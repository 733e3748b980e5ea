// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>
#include <optional>

/// Prepares a graph for searches, once for estimates and for the run: weights that are never negative, and neighbours
/// that are close to each other in memory.
///
///     PreparedArcs<float> prepared(arcs);
///     estimate_methods(team, prepared, seconds);                           // choose_method.hpp
///     search_rows(team, prepared, RowSearch::delta, sources, rows.view()); // search_rows.hpp
namespace atl {

/// A graph whose vertices are renumbered so that neighbours are close to each other in memory.
template <class T>
struct NearArcs {
  ReplicatedCsr<T> arcs;     ///< by new number; without ids
  std::vector<Local> place;  ///< [vertex] its new number
};

/// Each part is made when it is first asked for, by one thread.
template <class T>
class PreparedArcs {
 public:
  /// Keeps a reference: `given` must outlive it.
  explicit PreparedArcs(const ReplicatedCsr<T>& given) : given_(given) {}

  const ReplicatedCsr<T>& given() const { return given_; }
  /// Whether nonnegative() can be had: integers may not hold the lengths of paths between vertices of other potential.
  /// Throws InputError for a negative cycle (named).
  bool has_nonnegative();
  /// The same graph without negative weights and with the same shortest paths. Throws InputError for a negative cycle
  /// (named), and for potentials that do not fit.
  const ReplicatedCsr<T>& nonnegative();
  /// nonnegative(), renumbered breadth-first from the vertex of greatest degree of each component.
  const NearArcs<T>& near();
  /// rows[k], distances from sources[k] over nonnegative(), become those over given().
  void restore(Team& team, std::span<const Local> sources, MatrixView<T> rows) const;

 private:
  void remove_negative();

  const ReplicatedCsr<T>& given_;
  std::vector<PathSum<T>> potentials_;  // empty if no weight is negative
  PathSum<T> greatest_{};               // weight by these
  std::optional<ReplicatedCsr<T>> nonnegative_;
  std::optional<NearArcs<T>> near_;
};

}  // namespace atl
