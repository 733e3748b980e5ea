// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/searches/row_searches.hpp>
#include <atoll/apsp/searches/search_rows.hpp>
#include <atoll/base/timer.hpp>
#include <numeric>

namespace atl {
namespace {

template <class T>
std::vector<SourceRow> by_place(const NearArcs<T>& near, std::span<const Local> sources) {
  std::vector<SourceRow> list;
  for (std::size_t k = 0; k < sources.size(); ++k) list.push_back({near.place[sources[k]], static_cast<Local>(k)});
  std::sort(list.begin(), list.end(), [](const SourceRow& a, const SourceRow& b) { return a.source < b.source; });
  return list;
}

template <class T>
double run(Team& team, PreparedArcs<T>& prepared, RowSearch search, std::span<const Local> sources, MatrixView<T> rows,
           double delta) {
  if (search == RowSearch::dijkstra) {
    dijkstra_rows(team, prepared.nonnegative(), sources, rows);
    return 0;
  }
  const NearArcs<T>& near = prepared.near();
  std::vector<SourceRow> list = by_place(near, sources);
  if (search == RowSearch::breadth_first) list = breadth_first_rows<T>(team, near, list, rows);
  if (list.empty()) return 0;
  return delta_rows<T>(team, near, list, rows, delta);
}

}  // namespace

std::string_view name_of(RowSearch search) {
  switch (search) {
    case RowSearch::dijkstra:
      return "dijkstra";
    case RowSearch::delta:
      return "delta";
    case RowSearch::breadth_first:
      return "bfs";
  }
  return "";
}

template <class T>
RowSearchReport search_rows(Team& team, PreparedArcs<T>& prepared, RowSearch search, std::span<const Local> sources,
                            MatrixView<T> rows, double delta) {
  const Timer timer;
  const ReplicatedCsr<T>& arcs = prepared.given();
  check(
      rows.rows == static_cast<std::int64_t>(sources.size()) && rows.cols == arcs.vertices(),
      "{}: a matrix of {} x {} distances ({} sources, {} vertices). Give one row per source and one column per vertex.",
      arcs.name, rows.rows, rows.cols, sources.size(), arcs.vertices());
  for (const Local v : sources)
    check(v >= 0 && v < arcs.vertices(),
          "{}: there is no vertex {} (its {} vertices count from 0). Give one that exists.", arcs.name, v,
          arcs.vertices());
  check(search != RowSearch::breadth_first || arcs.is_unit(),
        "{}: weights from {} to {} (--method bfs counts arcs). Use --method delta, or leave the weights out.",
        arcs.name, +arcs.least, +arcs.greatest);
  const double used = run(team, prepared, search, sources, rows, delta);
  prepared.restore(team, sources, rows);
  return {.delta = used, .seconds = timer.seconds()};
}

template <class T>
RowSearchReport search_rows(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, std::span<const Local> sources,
                            MatrixView<T> rows, double delta) {
  PreparedArcs<T> prepared(arcs);
  return search_rows(team, prepared, search, sources, rows, delta);
}

template <class T>
RowSearchReport search_all(Team& team, PreparedArcs<T>& prepared, RowSearch search, MatrixView<T> rows, double delta) {
  std::vector<Local> sources(static_cast<std::size_t>(prepared.given().vertices()));
  std::iota(sources.begin(), sources.end(), Local{0});
  return search_rows<T>(team, prepared, search, sources, rows, delta);
}

template <class T>
RowSearchReport search_all(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, MatrixView<T> rows,
                           double delta) {
  PreparedArcs<T> prepared(arcs);
  return search_all(team, prepared, search, rows, delta);
}

#define ATOLL_SEARCH_ROWS(T)                                                                                         \
  template RowSearchReport search_rows<T>(Team&, PreparedArcs<T>&, RowSearch, std::span<const Local>, MatrixView<T>, \
                                          double);                                                                   \
  template RowSearchReport search_rows<T>(Team&, const ReplicatedCsr<T>&, RowSearch, std::span<const Local>,         \
                                          MatrixView<T>, double);                                                    \
  template RowSearchReport search_all<T>(Team&, PreparedArcs<T>&, RowSearch, MatrixView<T>, double);                 \
  template RowSearchReport search_all<T>(Team&, const ReplicatedCsr<T>&, RowSearch, MatrixView<T>, double);
ATOLL_SEARCH_ROWS(float)
ATOLL_SEARCH_ROWS(double)
ATOLL_SEARCH_ROWS(std::int32_t)
ATOLL_SEARCH_ROWS(std::uint16_t)
ATOLL_SEARCH_ROWS(std::uint8_t)
#undef ATOLL_SEARCH_ROWS

}  // namespace atl
