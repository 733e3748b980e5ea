// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <optional>
#include <string_view>
#include <vector>

/// Estimates which all-pairs method is the fastest for a graph by running each from a few sources.
///
///     const auto estimates = estimate_methods(team, arcs, 2e11);      // the kernel's operations per second
///     estimates.front().method, estimates.front().seconds
namespace atl {

enum class PairsMethod : std::uint8_t { floyd_warshall, dijkstra, delta, breadth_first };
/// fw, dijkstra, delta, bfs
std::string_view name_of(PairsMethod method);
/// The method of that name (--method); none for "auto". Throws InputError with the list of names.
std::optional<PairsMethod> pairs_method_named(std::string_view name);

struct MethodEstimate {
  PairsMethod method = PairsMethod::floyd_warshall;
  double seconds = 0;
};

/// The applicable methods, the fastest first. Floyd-Warshall: 2 n^3 at the given rate (half if undirected). The others
/// are run from some scattered sources and extrapolated, which costs about a hundredth of a full search. Only
/// Floyd-Warshall is returned if it would end sooner than that, for negative weights, and for weighted dense graphs.
template <class T>
std::vector<MethodEstimate> estimate_methods(Team& team, const ReplicatedCsr<T>& arcs, double operations_per_second);

}  // namespace atl
