// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/topology/network/router_graph.hpp>

namespace atl {

RouterGraph::RouterGraph(const Network& network) {
  const int hosts = network.hosts();
  std::vector<std::vector<End>> ends(static_cast<std::size_t>(network.routers()));
  std::vector<std::vector<int>> above(static_cast<std::size_t>(hosts));
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const auto [a, b] = std::minmax(network.links()[i].a, network.links()[i].b);
    if (a < hosts) {
      above[a].push_back(b - hosts);
      continue;
    }
    ends[a - hosts].push_back({b - hosts, static_cast<int>(i)});
    ends[b - hosts].push_back({a - hosts, static_cast<int>(i)});
  }
  first_.push_back(0);
  for (std::vector<End>& of_one : ends) {
    std::ranges::sort(of_one, {}, [](const End& e) { return std::pair(e.router, e.link); });
    ends_.insert(ends_.end(), of_one.begin(), of_one.end());
    first_.push_back(static_cast<int>(ends_.size()));
  }
  host_first_.push_back(0);
  for (std::vector<int>& of_one : above) {
    std::ranges::sort(of_one);
    of_one.erase(std::unique(of_one.begin(), of_one.end()), of_one.end());
    host_router_.insert(host_router_.end(), of_one.begin(), of_one.end());
    host_first_.push_back(static_cast<int>(host_router_.size()));
  }
}

}  // namespace atl
