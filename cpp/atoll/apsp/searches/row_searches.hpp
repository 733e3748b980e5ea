// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/searches/prepared_arcs.hpp>

/// The building blocks of search_rows().
namespace atl {

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
