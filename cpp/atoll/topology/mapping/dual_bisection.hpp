// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/mapping/traffic.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <cstdint>
#include <vector>

namespace atl {

/// Rank -> place by dual recursive bipartitioning [1]: the sites of the network are halved along few links, the ranks
/// are divided among the halves so that few bytes go between them, and so on in each half until it is one site. Bytes
/// to ranks outside pull towards the half that is nearer to where these are so far.
///
///     std::vector<int> mapping = dual_bisection(places, traffic);   // a start for swap
///
/// Each rank has a place of its own. O((pairs log pairs + sites^2) log sites). Throws InputError if there are fewer
/// places than ranks.
///
/// [1] F. Pellegrini. "Static mapping by dual recursive bipartitioning of process and architecture graphs." SHPCC 1994.
std::vector<int> dual_bisection(const PlaceGraph& places, const TrafficMatrix& traffic, std::uint64_t seed = 1);

}  // namespace atl
