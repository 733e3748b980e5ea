// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/searches/prepared_arcs.hpp>
#include <string_view>

/// Computes rows of the distances by a search from each source: on sparse graphs less work than Floyd-Warshall's n^3.
///
///     Matrix<float> rows(arcs.vertices(), arcs.vertices());
///     search_all(team, arcs, RowSearch::delta, rows.view());
///     search_rows(team, arcs, RowSearch::dijkstra, sources, rows.view());     // row k: from sources[k]
///
/// The contract is that of Floyd-Warshall: the same types, kNoPath if there is no path or one as long, integers equal
/// bit for bit. Floats are added up from the source on in every search, so the searches agree bit for bit with each
/// other. Potentials remove negative arcs (Johnson [1]; they round floats once more).
///
/// | search        | at a time per thread | for                                                                      |
/// |---------------|----------------------|--------------------------------------------------------------------------|
/// | dijkstra      | one source           | large diameters: it scans each arc once                                  |
/// | delta         | 128 bytes of sources | most sparse graphs: it scans an arc a few times, for all sources at once |
/// | breadth_first | 512 sources          | weights that are all 1                                                   |
///
/// [1] D. Johnson. "Efficient algorithms for shortest paths in sparse networks." JACM 24(1), 1977.
namespace atl {

enum class RowSearch : std::uint8_t { dijkstra, delta, breadth_first };
std::string_view name_of(RowSearch search);

struct RowSearchReport {
  double delta = 0;    ///< the bucket width used by delta
  double seconds = 0;  ///< for all rows
};

/// `delta` is the bucket width; 0: tuned on the first sources. rows is sources.size() x n. Throws InputError for
/// breadth_first if a weight is not 1, for a negative cycle (named), and for int32 whose potentials do not fit.
template <class T>
RowSearchReport search_rows(Team& team, PreparedArcs<T>& prepared, RowSearch search, std::span<const Local> sources,
                            MatrixView<T> rows, double delta = 0);
template <class T>
RowSearchReport search_rows(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, std::span<const Local> sources,
                            MatrixView<T> rows, double delta = 0);
/// Searches from every vertex.
template <class T>
RowSearchReport search_all(Team& team, PreparedArcs<T>& prepared, RowSearch search, MatrixView<T> rows,
                           double delta = 0);
template <class T>
RowSearchReport search_all(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, MatrixView<T> rows,
                           double delta = 0);

}  // namespace atl
