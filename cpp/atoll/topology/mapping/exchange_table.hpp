// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/mapping/peers.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <vector>

namespace atl {

/// Exchanges ranks, or moves them to free places, while that lowers the hop-bytes: for dense traffic. A table has what
/// each rank would cost at each site, so that any exchange is priced in O(1), and every rank takes its best one of all;
/// the table follows in O(peers * sites) for each that is made.
///
///     mapping = improve_by_table(places, peers, std::move(mapping));
///
/// The table takes 4 bytes for each rank at each site and O(peers * sites) to fill: `table_work` says how many.
std::vector<int> improve_by_table(const PlaceGraph& places, const Peers& peers, std::vector<int> mapping);

/// Multiplications to fill the table.
inline double table_work(const PlaceGraph& places, const Peers& peers) {
  return static_cast<double>(peers.size()) * places.sites();
}

}  // namespace atl
