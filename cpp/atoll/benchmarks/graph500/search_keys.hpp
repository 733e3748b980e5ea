// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// Distinct search keys (original ids) with an edge to another vertex, by seed: the same at any rank count, as many as
/// asked for or as there are. Collective.
///
/// A seeded bijection of [0, 2^b), 2^b >= n, puts the dense numbers into a random order; the first ones that have such an
/// edge are the keys. So a key is never drawn twice, and a graph with too few of them ends the search.
std::vector<Vertex> search_keys(const Graph& graph, int count, std::uint64_t seed);

}  // namespace atl
