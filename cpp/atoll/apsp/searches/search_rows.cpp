// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/arcs/negative_cycle.hpp>
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
double run(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, std::span<const Local> sources,
           MatrixView<T> rows, double delta) {
  if (search == RowSearch::dijkstra) {
    dijkstra_rows(team, arcs, sources, rows);
    return 0;
  }
  const NearArcs<T> near = near_arcs(arcs);
  std::vector<SourceRow> list = by_place(near, sources);
  if (search == RowSearch::breadth_first) list = breadth_first_rows<T>(team, near, list, rows);
  if (list.empty()) return 0;
  return delta_rows<T>(team, near, list, rows, delta);
}

/// The same graph with weights w + h(tail) - h(head) >= 0.
template <class T>
ReplicatedCsr<T> reweighted(const ReplicatedCsr<T>& arcs, const std::vector<PathSum<T>>& h) {
  std::vector<Arc<T>> list;
  PathSum<T> greatest{};
  for (Local v = 0; v < arcs.vertices(); ++v) {
    const auto heads = arcs.heads_of(v);
    for (std::size_t k = 0; k < heads.size(); ++k) {
      const PathSum<T> w = static_cast<PathSum<T>>(arcs.weights_of(v)[k]) + h[v] - h[heads[k]];
      greatest = std::max(greatest, w);
      list.push_back({v, heads[k], static_cast<T>(std::max(w, PathSum<T>{}))});
    }
  }
  if constexpr (!std::is_floating_point_v<T>)
    check(greatest * static_cast<PathSum<T>>(arcs.vertices()) < static_cast<PathSum<T>>(kNoPath<T>),
          "{}: after reweighting by potentials an arc weighs {} (path lengths may not fit int32). Use --method fw, or "
          "float64.",
          arcs.name, greatest);
  ReplicatedCsr<T> moved = make_arcs<T>(arcs.ids, true, list, arcs.name);
  return moved;
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
NearArcs<T> near_arcs(const ReplicatedCsr<T>& arcs) {
  const auto n = static_cast<std::size_t>(arcs.vertices());
  const ReplicatedCsr<T> in = arcs.directed ? arcs.reversed() : ReplicatedCsr<T>{};
  std::vector<Local> by_degree(n);
  std::iota(by_degree.begin(), by_degree.end(), Local{0});
  std::stable_sort(by_degree.begin(), by_degree.end(),
                   [&](Local a, Local b) { return arcs.heads_of(a).size() > arcs.heads_of(b).size(); });
  NearArcs<T> near;
  near.place.assign(n, -1);
  std::vector<Local> order;
  const auto enter = [&](Local v) {
    if (near.place[v] >= 0) return;
    near.place[v] = static_cast<Local>(order.size());
    order.push_back(v);
  };
  for (const Local start : by_degree) {
    std::size_t next = order.size();
    for (enter(start); next < order.size(); ++next) {
      for (const Local u : arcs.heads_of(order[next])) enter(u);
      if (arcs.directed)
        for (const Local u : in.heads_of(order[next])) enter(u);
    }
  }
  near.arcs.name = arcs.name;
  near.arcs.directed = arcs.directed;
  near.arcs.least = arcs.least;
  near.arcs.greatest = arcs.greatest;
  near.arcs.ids.resize(n);
  near.arcs.offsets = Array<Edge>(n + 1, 0);
  near.arcs.heads = Array<Local>(arcs.heads.size());
  near.arcs.weights = Array<T>(arcs.weights.size());
  std::vector<std::pair<Local, T>> row;
  std::size_t to = 0;
  for (std::size_t v = 0; v < n; ++v) {
    row.clear();
    for (auto e = static_cast<std::size_t>(arcs.begin(order[v])); e < static_cast<std::size_t>(arcs.end(order[v])); ++e)
      row.emplace_back(near.place[arcs.heads[e]], arcs.weights[e]);
    std::sort(row.begin(), row.end());
    for (const auto& [head, weight] : row) {
      near.arcs.heads[to] = head;
      near.arcs.weights[to++] = weight;
    }
    near.arcs.offsets[v + 1] = static_cast<Edge>(to);
  }
  return near;
}

template <class T>
RowSearchReport search_rows(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, std::span<const Local> sources,
                            MatrixView<T> rows, double delta) {
  const Timer timer;
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
  if (!arcs.has_negative()) {
    const double used = run(team, arcs, search, sources, rows, delta);
    return {.delta = used, .seconds = timer.seconds()};
  }
  const auto h = potentials(arcs);
  const double used = run(team, reweighted(arcs, h), search, sources, rows, delta);
  team.for_range(sources.size(), 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t k = a; k < b; ++k) {
      T* row = rows.row(static_cast<std::int64_t>(k)).data();
      for (std::size_t v = 0; v < h.size(); ++v)
        if (row[v] != kNoPath<T>)  // a path that reaches kNoPath is none
          row[v] = static_cast<T>(
              std::min(static_cast<PathSum<T>>(row[v]) + h[v] - h[sources[k]], static_cast<PathSum<T>>(kNoPath<T>)));
      row[sources[k]] = T{};
    }
  });
  return {.delta = used, .seconds = timer.seconds()};
}

template <class T>
RowSearchReport search_all(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, MatrixView<T> rows,
                           double delta) {
  std::vector<Local> sources(static_cast<std::size_t>(arcs.vertices()));
  std::iota(sources.begin(), sources.end(), Local{0});
  return search_rows<T>(team, arcs, search, sources, rows, delta);
}

#define ATOLL_SEARCH_ROWS(T)                                                                                 \
  template NearArcs<T> near_arcs<T>(const ReplicatedCsr<T>&);                                                \
  template RowSearchReport search_rows<T>(Team&, const ReplicatedCsr<T>&, RowSearch, std::span<const Local>, \
                                          MatrixView<T>, double);                                            \
  template RowSearchReport search_all<T>(Team&, const ReplicatedCsr<T>&, RowSearch, MatrixView<T>, double);
ATOLL_SEARCH_ROWS(float)
ATOLL_SEARCH_ROWS(double)
ATOLL_SEARCH_ROWS(std::int32_t)
ATOLL_SEARCH_ROWS(std::uint16_t)
ATOLL_SEARCH_ROWS(std::uint8_t)
#undef ATOLL_SEARCH_ROWS

}  // namespace atl
