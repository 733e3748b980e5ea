// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/mapping/traffic.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <span>

/// The cost of a mapping. A mapping F has for each rank its place.
///
///     const MappingCost cost = cost_of(network, places, traffic, order, MappingPaths::network);
///     cost.dilation;        // 1: every message goes over one link
///     cost.hop_bytes;       // what swap() lowers
///
/// Hosts' own links do not count: their load is that of the ranks, wherever these are.
namespace atl {

enum class MappingPaths {
  network,    ///< the network's own routes: one path for a pair of hosts
  equal_cost  ///< all shortest paths with equal shares of the traffic; parallel cables make paths of their own
};

struct MappingCost {
  double dilation = 0;    ///< equation 2: links on a pair's paths (equation 1), the most over pairs that communicate
  double contention = 0;  ///< equation 4: pairs over a link in one direction (equation 3), by its capacity, at most
  double hop_bytes = 0;   ///< sum over pairs of bytes * links on the paths
  double mean_hops = 0;   ///< hop_bytes / bytes; 0 without traffic
  /// Bytes over a link in one direction / its bandwidth, at most: no schedule of these messages ends sooner.
  double busiest_link_seconds = 0;
};

/// Capacities in equation 3 are bandwidths in units of that of the fastest link between routers. O(links) for each rank
/// that receives, and O(hops) for each flow. Throws InputError unless each rank of the traffic has a place.
MappingCost cost_of(const Network& network, const PlaceGraph& places, const TrafficMatrix& traffic,
                    std::span<const int> mapping, MappingPaths paths);

/// The sum over pairs of bytes * hops on shortest paths.
double hop_bytes_of(const PlaceGraph& places, const TrafficMatrix& traffic, std::span<const int> mapping);

/// The ASPL of an embedding: the mean number of links between all pairs of these places; 0 for a single one.
double embedding_aspl(const PlaceGraph& places, std::span<const int> chosen);
/// The most links between two of them.
int embedding_diameter(const PlaceGraph& places, std::span<const int> chosen);

}  // namespace atl
