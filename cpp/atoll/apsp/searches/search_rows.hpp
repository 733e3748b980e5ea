// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>
#include <string_view>

/// Rows of the distances by searching from each source: where the graph is sparse, less work than Floyd-Warshall's n^3.
///
///     Matrix<float> rows(arcs.vertices(), arcs.vertices());
///     search_all(team, arcs, RowSearch::delta, rows.view());
///     search_rows(team, arcs, RowSearch::dijkstra, sources, rows.view());     // row k: from sources[k]
///
/// The same contract as Floyd-Warshall: the same types, kNoPath where there is none or a path as long, integers equal bit
/// by bit. Floats are added up from the source on, whatever the search: the searches agree bit by bit among themselves.
/// Negative arcs are moved out of the way by potentials (Johnson [1]; floats are rounded once more by them).
///
/// | search        | at a time per thread | for |
/// |---------------|----------------------|-----|
/// | dijkstra      | one source           | large diameters: each arc is looked at once |
/// | delta         | 128 bytes of sources | most sparse graphs: an arc is looked at a few times, for all of them at once |
/// | breadth_first | 512 sources          | weights that are all 1 |
///
/// [1] D. Johnson. "Efficient algorithms for shortest paths in sparse networks." JACM 24(1), 1977.
namespace atl {

enum class RowSearch : std::uint8_t { dijkstra, delta, breadth_first };
std::string_view name_of(RowSearch search);

struct RowSearchReport {
  double delta = 0;    ///< of delta: the step that was chosen by timing the first sources
  double seconds = 0;  ///< of all rows
};

/// `delta` is a width of distances; 0: tuned on the first sources. rows is sources.size() x n. InputError: breadth_first
/// where a weight is not 1; a negative cycle (named); int32 whose potentials do not fit.
template <class T>
RowSearchReport search_rows(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, std::span<const Local> sources,
                            MatrixView<T> rows, double delta = 0);
/// From every vertex.
template <class T>
RowSearchReport search_all(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, MatrixView<T> rows,
                           double delta = 0);

}  // namespace atl
