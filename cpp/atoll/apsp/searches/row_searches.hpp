// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>

/// What search_rows() is made of.
namespace atl {

/// A graph whose vertices were renumbered so that neighbours are near each other in memory.
template <class T>
struct NearArcs {
  ReplicatedCsr<T> arcs;     ///< by new number; ids are not kept
  std::vector<Local> place;  ///< [vertex] its new number
};
/// Breadth first from the vertex of greatest degree of each component.
template <class T>
NearArcs<T> near_arcs(const ReplicatedCsr<T>& arcs);

/// Sources that are searched from at the same time, and their rows.
struct SourceRow {
  Local source = 0;  ///< by new number
  Local row = 0;
};

/// All of weights >= 0.
template <class T>
void dijkstra_rows(Team& team, const ReplicatedCsr<T>& arcs, std::span<const Local> sources, MatrixView<T> rows);
/// Returns the delta that was used; `delta` 0: tuned.
template <class T>
double delta_rows(Team& team, const NearArcs<T>& near, std::span<const SourceRow> sources, MatrixView<T> rows,
                  double delta);
/// Weights are 1. Returns the sources of searches that are too deep for it: their rows are still to be found.
template <class T>
std::vector<SourceRow> breadth_first_rows(Team& team, const NearArcs<T>& near, std::span<const SourceRow> sources,
                                          MatrixView<T> rows);

}  // namespace atl
