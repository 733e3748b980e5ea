// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/network/network.hpp>
#include <atoll/transport/flows/route_zone.hpp>

namespace atl::flows {

/// A Network's cables as links of a zone, one for each direction, and the Network's routes over them.
///
///     NetworkLinks links(network, zone);
///     double latency_s = links.route(0, 63, ids);    // ids: what RouteZone::send takes
///
class NetworkLinks {
 public:
  NetworkLinks(const Network& network, RouteZone& zone);

  /// The route between two different hosts; returns the sum of the links' latencies. Takes time proportional to the
  /// route's length, after the first call for a host if the family has no routing rule.
  double route(int from, int to, std::vector<std::size_t>& ids);
  double least_latency_s() const;

 private:
  double take(int link, int from, std::vector<std::size_t>& ids) const;

  const Network& network_;
  std::size_t first_ = 0;               // id of link 0 from its a to its b; the other direction is id + 1
  std::vector<std::vector<int>> next_;  // [target][vertex]: the link; without a routing rule, filled at first use
};

}  // namespace atl::flows
