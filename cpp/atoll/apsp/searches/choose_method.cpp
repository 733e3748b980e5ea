// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/apsp/searches/choose_method.hpp>
#include <atoll/apsp/searches/row_searches.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/matrix/gemm/lane_kernels.hpp>

namespace atl {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"fw", "dijkstra", "delta", "bfs"};

/// If Floyd-Warshall takes less than this, no other method is tried.
constexpr double kWorthTrying = 0.02;  // seconds

/// From this density on, searches are not tried on weighted arcs either: preparing one takes longer than Floyd-Warshall
/// (0.25 s against 0.1 s at n = 2048, density 1), which is much faster (4.7 times at n = 1331, density 0.18).
constexpr double kDense = 0.25;

/// `count` sources per thread from each thread's range of the new numbers: sources of a batch are close to each other,
/// as in a full run.
std::vector<SourceRow> samples(const Team& team, std::size_t n, std::size_t count) {
  std::vector<SourceRow> list;
  const auto threads = static_cast<std::size_t>(team.size());
  for (std::size_t t = 0; t < threads; ++t) {
    const std::size_t begin = n * t / threads, end = std::min(n * (t + 1) / threads, begin + count);
    for (std::size_t v = begin; v < end; ++v) list.push_back({static_cast<Local>(v), static_cast<Local>(list.size())});
  }
  return list;
}

}  // namespace

std::string_view name_of(PairsMethod method) { return kNames[static_cast<std::size_t>(method)]; }

std::optional<PairsMethod> pairs_method_named(std::string_view name) {
  if (name == "auto") return {};
  for (std::size_t m = 0; m < kNames.size(); ++m)
    if (name == kNames[m]) return static_cast<PairsMethod>(m);
  throw InputError(fmt::format("method is {} (not one there is). Use one of auto, fw, dijkstra, delta, bfs.", name));
}

template <class T>
std::vector<MethodEstimate> estimate_methods(Team& team, const ReplicatedCsr<T>& arcs, double operations_per_second) {
  const auto n = static_cast<std::size_t>(arcs.vertices());
  const double operations =
      static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * (arcs.directed ? 2.0 : 1.0);
  std::vector<MethodEstimate> list{{PairsMethod::floyd_warshall, operations / operations_per_second}};
  const bool dense = static_cast<double>(arcs.size()) >= kDense * static_cast<double>(n) * static_cast<double>(n);
  if (list[0].seconds < kWorthTrying || arcs.has_negative() || (dense && !arcs.is_unit())) return list;

  const NearArcs<T> near = near_arcs(arcs);
  const auto add = [&](PairsMethod method, std::size_t per_thread, const auto& search) {
    const std::vector<SourceRow> sources = samples(team, n, per_thread);
    Matrix<T> rows(static_cast<std::int64_t>(sources.size()), arcs.vertices());
    search(sources, rows.view());  // first touch of the memory
    const Timer timer;
    search(sources, rows.view());
    list.push_back({method, timer.seconds() * static_cast<double>(n) / static_cast<double>(sources.size())});
  };
  add(PairsMethod::dijkstra, 1, [&](const auto& sources, MatrixView<T> rows) {
    std::vector<Local> vertices;
    for (const SourceRow& s : sources) vertices.push_back(s.source);
    dijkstra_rows<T>(team, near.arcs, vertices, rows);
  });
  add(PairsMethod::delta, kLanes<T>, [&](const auto& sources, MatrixView<T> rows) {
    delta_rows<T>(team, near, sources, rows, arcs.greatest > T{} ? static_cast<double>(arcs.greatest) : 1.0);
  });
  if (arcs.is_unit())
    add(PairsMethod::breadth_first, kSearches,
        [&](const auto& sources, MatrixView<T> rows) { breadth_first_rows<T>(team, near, sources, rows); });
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return list;
}

template std::vector<MethodEstimate> estimate_methods(Team&, const ReplicatedCsr<float>&, double);
template std::vector<MethodEstimate> estimate_methods(Team&, const ReplicatedCsr<double>&, double);
template std::vector<MethodEstimate> estimate_methods(Team&, const ReplicatedCsr<std::int32_t>&, double);
template std::vector<MethodEstimate> estimate_methods(Team&, const ReplicatedCsr<std::uint16_t>&, double);
template std::vector<MethodEstimate> estimate_methods(Team&, const ReplicatedCsr<std::uint8_t>&, double);

}  // namespace atl
