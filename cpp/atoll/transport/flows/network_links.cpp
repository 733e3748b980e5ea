// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/transport/flows/network_links.hpp>

namespace atl::flows {

NetworkLinks::NetworkLinks(const Network& network, RouteZone& zone) : network_(network) {
  if (!network.has_rule()) next_.resize(static_cast<std::size_t>(network.hosts()));
  bool first = true;
  for (const Link& link : network.links())
    for (int direction = 0; direction < 2; ++direction) {
      const std::size_t id = zone.add_link(link.bytes_per_second);
      if (std::exchange(first, false)) first_ = id;
    }
}

double NetworkLinks::take(int link, int from, std::vector<std::size_t>& ids) const {
  const Link& l = network_.links()[link];
  ids.push_back(first_ + 2 * static_cast<std::size_t>(link) + (l.a == from ? 0 : 1));
  return l.latency_s;
}

double NetworkLinks::route(int from, int to, std::vector<std::size_t>& ids) {
  ids.clear();
  double latency_s = 0;
  if (network_.has_rule()) {
    for (const Hop& hop : network_.route(from, to)) latency_s += take(hop.link, hop.from, ids);
    return latency_s;
  }
  std::vector<int>& next = next_[to];
  if (next.empty())
    for (const Hop& hop : network_.towards(to)) next.push_back(hop.link);
  for (int at = from; at != to;) {
    const int link = next[at];
    latency_s += take(link, at, ids);
    const Link& l = network_.links()[link];
    at = l.a == at ? l.b : l.a;
  }
  return latency_s;
}

double NetworkLinks::least_latency_s() const {
  const auto links = network_.links();
  return std::min_element(links.begin(), links.end(),
                          [](const Link& a, const Link& b) { return a.latency_s < b.latency_s; })
      ->latency_s;
}

}  // namespace atl::flows
