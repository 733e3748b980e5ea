// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/place_graph.hpp>
#include <atoll/topology/network/router_graph.hpp>
#include <limits>
#include <map>

namespace atl {
namespace {

constexpr std::uint16_t kFar = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t kMostSites = 20'000;  // 800 MB of distances

// Distances from the queue's routers, which have 0.
void search(const RouterGraph& routers, std::vector<int>& queue, std::vector<std::uint16_t>& hops) {
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto next = static_cast<std::uint16_t>(hops[static_cast<std::size_t>(queue[i])] + 1);
    for (const RouterGraph::End& end : routers.ends_of(queue[i]))
      if (std::uint16_t& there = hops[static_cast<std::size_t>(end.router)]; there == kFar) {
        there = next;
        queue.push_back(end.router);
      }
  }
}

}  // namespace

PlaceGraph::PlaceGraph(const Network& network, int places_per_host) : per_host_(places_per_host) {
  check(places_per_host >= 1, "{} places on each host (at least one). Give more.", places_per_host);
  const RouterGraph routers(network);
  std::map<std::vector<int>, int> site_with;  // its routers
  std::vector<std::vector<int>> routers_at, hosts_at;
  for (int h = 0; h < network.hosts(); ++h) {
    const auto above = routers.routers_of(h);
    std::vector<int> key(above.begin(), above.end());
    const auto [at, fresh] = site_with.try_emplace(key, static_cast<int>(routers_at.size()));
    if (fresh) {
      routers_at.push_back(std::move(key));
      hosts_at.emplace_back();
    }
    site_.push_back(at->second);
    hosts_at[static_cast<std::size_t>(at->second)].push_back(h);
  }
  const std::size_t n = routers_at.size();
  check(n <= kMostSites,
        "network {}: hosts at {} different routers (distances between at most {} are kept). Map onto a part of it.",
        network.name(), n, kMostSites);
  first_.push_back(0);
  for (const std::vector<int>& hosts : hosts_at) {
    for (const int h : hosts)
      for (int k = 0; k < per_host_; ++k) places_.push_back(h * per_host_ + k);
    first_.push_back(static_cast<int>(places_.size()));
  }

  hops_.resize(n * n);
  beside_first_.push_back(0);
  std::vector<std::uint16_t> hops(static_cast<std::size_t>(routers.routers()));
  std::vector<int> queue;
  for (std::size_t s = 0; s < n; ++s) {
    std::ranges::fill(hops, kFar);
    queue = routers_at[s];
    for (const int r : queue) hops[static_cast<std::size_t>(r)] = 0;
    search(routers, queue, hops);
    for (std::size_t t = 0; t < n; ++t) {
      std::uint16_t least = kFar;
      for (const int r : routers_at[t]) least = std::min(least, hops[static_cast<std::size_t>(r)]);
      check(least != kFar, "network {}: no path from host {} to host {} (all hosts must reach each other). Add links.",
            network.name(), hosts_at[s][0], hosts_at[t][0]);
      hops_[s * n + t] = least;
      if (t != s && least <= 1) beside_.push_back(static_cast<int>(t));
    }
    beside_first_.push_back(static_cast<int>(beside_.size()));
  }
}

std::vector<int> places_in_order(const PlaceGraph& places, std::span<const int> sites) {
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(places.places()));
  for (const int s : sites) {
    const auto here = places.places_of(s);
    order.insert(order.end(), here.begin(), here.end());
  }
  return order;
}

}  // namespace atl
