// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/mapping/traffic.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <string>
#include <vector>

/// The mapping of Scotch [1], for comparison and as one more candidate.
///
///     if (const std::string why = scotch_refusal(network); !why.empty()) throw InputError(why);
///     std::vector<int> mapping = scotch_mapping(network, places, traffic);
///
/// The library is opened at run time, by its C interface: it is under another licence, and few machines have its
/// headers. What is passed are arrays of integers and handles that it allocates itself, so that no structure of one
/// version is known here.
///
/// [1] F. Pellegrini. "Static mapping by dual recursive bipartitioning of process and architecture graphs." SHPCC 1994.
namespace atl {

/// Empty if the library loads and each host has one router, as Scotch is given them; else why not, and what to do.
std::string scotch_refusal(const Network& network);

/// Rank -> place by SCOTCH_graphMap onto the network's routers, without imbalance; ranks beyond the places of a site
/// then move to the free places nearest to it. Throws InputError with scotch_refusal(), if the library refuses the
/// graphs, or if there are fewer places than ranks.
std::vector<int> scotch_mapping(const Network& network, const PlaceGraph& places, const TrafficMatrix& traffic);

}  // namespace atl
