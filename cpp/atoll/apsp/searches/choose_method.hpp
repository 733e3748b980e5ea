// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/searches/search_rows.hpp>
#include <optional>
#include <string_view>
#include <vector>

/// Estimates which all-pairs method is the fastest for a graph by running each from a few sources.
///
///     PreparedArcs<float> prepared(arcs);
///     const auto estimates = estimate_methods(team, prepared, floyd_warshall_seconds(arcs, 2e11));
///     estimates.front().method, estimates.front().seconds
namespace atl {

enum class PairsMethod : std::uint8_t { floyd_warshall, dijkstra, delta, breadth_first };
inline constexpr std::size_t kPairsMethods = 4;
/// fw, dijkstra, delta, bfs
std::string_view name_of(PairsMethod method);
/// The method of that name (--method); none for "auto". Throws InputError with the list of names.
std::optional<PairsMethod> pairs_method_named(std::string_view name);
/// The search that a method other than Floyd-Warshall is.
RowSearch search_of(PairsMethod method);

struct MethodEstimate {
  PairsMethod method = PairsMethod::floyd_warshall;
  double seconds = 0;
};

/// How long Floyd-Warshall takes at that rate: 2 n^3 operations, half of them if undirected.
template <class T>
double floyd_warshall_seconds(const ReplicatedCsr<T>& arcs, double operations_per_second);

/// The applicable methods, the fastest first. The searches are run from some scattered sources by this thread, and its
/// processor time, which other programs do not lengthen, is extrapolated to all sources over `ranks` such teams: again
/// while the two best are close, which costs about a fiftieth of a full search. Only Floyd-Warshall is returned if it
/// would end sooner than that, for weighted dense graphs, and for negative weights in float32, or in integers that do
/// not hold what takes their place (PreparedArcs::has_nonnegative). Throws InputError for a negative cycle if searches are tried.
template <class T>
std::vector<MethodEstimate> estimate_methods(Team& team, PreparedArcs<T>& prepared, double floyd_warshall_seconds,
                                             Rank ranks = 1);

}  // namespace atl
