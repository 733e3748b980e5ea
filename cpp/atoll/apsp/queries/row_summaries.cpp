// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/queries/row_summaries.hpp>
#include <atoll/apsp/searches/choose_method.hpp>
#include <atoll/graph/edge_list_of.hpp>
#include <atoll/matrix/gemm/lane_kernels.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{64} << 20;

/// The fastest search of a graph, by batches of sources.
template <class T>
class RowSearches {
 public:
  RowSearches(Team& team, const ReplicatedCsr<T>& arcs) : team_(team), prepared_(arcs) {
    if (arcs.vertices() == 0) return;
    // Floyd-Warshall never ends: the searches are compared with each other.
    search_ = search_of(estimate_methods(team, prepared_, HUGE_VAL).front().method);
  }

  std::size_t batch() const {
    const std::size_t of_threads = static_cast<std::size_t>(team_.size()) * kLanes<T>;
    return std::max(of_threads, kBatchBytes / (sizeof(T) * std::max<std::size_t>(1, prepared_.given().ids.size())));
  }
  /// The order in which searches from vertices share most of their way.
  Local place_of(Local v) { return prepared_.near().place[v]; }

  void run(std::span<const Local> sources, MatrixView<T> rows) {
    delta_ = search_rows(team_, prepared_, search_, sources, rows, delta_).delta;
  }

 private:
  Team& team_;
  PreparedArcs<T> prepared_;
  RowSearch search_ = RowSearch::dijkstra;
  double delta_ = 0;  // tuned by the first batch
};

template <class T>
void summarize(std::span<const T> row, Local source, std::size_t k, RowSummaries& out) {
  PathSum<T> farness{};
  T greatest{};
  double harmonic = 0;
  Vertex reached = 0;
  for (std::size_t v = 0; v < row.size(); ++v) {
    const T distance = row[v];
    if (distance == kNoPath<T> || static_cast<Local>(v) == source) continue;
    ++reached;
    farness += static_cast<PathSum<T>>(distance);
    greatest = std::max(greatest, distance);
    if (distance > T{}) harmonic += 1 / static_cast<double>(distance);
  }
  out.farness[k] = static_cast<double>(farness);
  out.harmonic[k] = harmonic;
  out.greatest[k] = static_cast<double>(greatest);
  out.reached[k] = reached;
}

template <class T>
void summarize_by(const Graph& graph, const ReplicatedCsr<T>& arcs, RowSummaries& out, const Progress& progress) {
  World& world = graph.world();
  RowSearches<T> searches(world.team(), arcs);
  struct Source {
    Local vertex;
    std::size_t owned_index;
  };
  std::vector<Source> mine;
  for (std::size_t k = 0; k < out.reached.size(); ++k) {
    const auto at = std::ranges::lower_bound(arcs.ids, graph.ids().id_of(static_cast<Vertex>(k)));
    mine.push_back({static_cast<Local>(at - arcs.ids.begin()), k});
  }
  std::ranges::sort(mine, {}, [&](const Source& s) { return searches.place_of(s.vertex); });
  const std::size_t batch = std::min(searches.batch(), std::max<std::size_t>(1, mine.size()));
  Matrix<T> rows(static_cast<std::int64_t>(batch), arcs.vertices());
  std::vector<Local> sources;
  for (std::size_t begin = 0; begin < mine.size(); begin += batch) {
    world.team().cancellation_point();
    const std::size_t end = std::min(begin + batch, mine.size());
    sources.clear();
    for (std::size_t i = begin; i < end; ++i) sources.push_back(mine[i].vertex);
    MatrixView<T> view = rows.view();
    view.rows = static_cast<std::int64_t>(end - begin);
    searches.run(sources, view);
    world.team().for_range(end - begin, 1, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i)
        summarize<T>(rows.view().row(static_cast<std::int64_t>(i)), sources[i], mine[begin + i].owned_index, out);
    });
    report_progress(progress, static_cast<std::int64_t>(end), static_cast<std::int64_t>(mine.size()));
  }
}

}  // namespace

RowSummaries summarize_rows(const Graph& graph, PathsLead lead, const Progress& progress) {
  check_weights<double>("distances", graph, ZeroWeights::allowed);
  const std::size_t owned = index(graph.owned());
  RowSummaries out{Array<double>(owned), Array<double>(owned), Array<double>(owned), Array<Vertex>(owned)};
  if (graph.vertices() == 0) return out;
  ReplicatedCsr<double> arcs = gather_arcs(graph.world(), edge_list_of(graph));
  if (lead == PathsLead::to_vertex && arcs.directed) arcs = arcs.reversed();
  const Element narrowest = narrowest_type(arcs);
  graph.world().collective_try([&] {
    if (narrowest == Element::float32 || narrowest == Element::float64) {
      summarize_by<double>(graph, arcs, out, progress);
    } else {
      summarize_by<std::int32_t>(graph, narrowed<std::int32_t>(arcs), out, progress);
    }
  });
  return out;
}

}  // namespace atl
