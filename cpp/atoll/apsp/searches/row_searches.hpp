// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>

/// The building blocks of search_rows().
namespace atl {

/// A graph whose vertices are renumbered so that neighbours are close to each other in memory.
template <class T>
struct NearArcs {
  ReplicatedCsr<T> arcs;     ///< by new number; without ids
  std::vector<Local> place;  ///< [vertex] its new number
};
/// Renumbers breadth-first from the vertex of greatest degree of each component.
template <class T>
NearArcs<T> near_arcs(const ReplicatedCsr<T>& arcs);

/// One source of a batch of simultaneous searches, and its row.
struct SourceRow {
  Local source = 0;  ///< by new number
  Local row = 0;
};

/// Requires weights >= 0.
template <class T>
void dijkstra_rows(Team& team, const ReplicatedCsr<T>& arcs, std::span<const Local> sources, MatrixView<T> rows);
/// Returns the delta that was used; `delta` 0: tuned.
template <class T>
double delta_rows(Team& team, const NearArcs<T>& near, std::span<const SourceRow> sources, MatrixView<T> rows,
                  double delta);
/// Requires weights of 1. Returns the sources whose searches are too deep for this method; their rows are still
/// missing.
template <class T>
std::vector<SourceRow> breadth_first_rows(Team& team, const NearArcs<T>& near, std::span<const SourceRow> sources,
                                          MatrixView<T> rows);

}  // namespace atl
