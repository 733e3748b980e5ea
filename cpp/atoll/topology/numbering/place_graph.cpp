// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/network/router_graph.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace atl {
namespace {

constexpr std::uint16_t kUnreached = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t kMostSites = 20'000;  // 800 MB of distances

// Searches from up to 64 sites together, a bit each: a router hands on the bits that have newly reached it.
class BitSearch {
 public:
  BitSearch(const RouterGraph& routers, const std::vector<std::vector<int>>& routers_at)
      : routers_(routers),
        routers_at_(routers_at),
        sites_at_(static_cast<std::size_t>(routers.routers())),
        seen_(sites_at_.size()),
        frontier_(sites_at_.size()),
        incoming_(sites_at_.size()),
        reached_(routers_at.size()) {
    for (std::size_t t = 0; t < routers_at.size(); ++t)
      for (const int r : routers_at[t]) sites_at_[r].push_back(static_cast<int>(t));
  }

  // hops[(s - first) * sites + t] for the sites s in first .. first + count - 1, which must be kUnreached before.
  void run(std::size_t first, std::size_t count, std::uint16_t* hops) {
    const std::size_t n = reached_.size();
    std::ranges::fill(seen_, 0);
    std::ranges::fill(reached_, 0);
    active_.clear();
    for (std::size_t i = 0; i < count; ++i)
      for (const int r : routers_at_[first + i]) receive(r, std::uint64_t{1} << i);
    for (std::uint16_t level = 0; !next_.empty(); ++level) {
      active_.swap(next_);
      next_.clear();
      for (const int r : active_) {
        const auto i = static_cast<std::size_t>(r);
        frontier_[i] = std::exchange(incoming_[i], 0);
        seen_[i] |= frontier_[i];
        for (const int t : sites_at_[i]) {
          std::uint64_t& reached = reached_[t];
          for (std::uint64_t bits = frontier_[i] & ~reached; bits != 0; bits &= bits - 1)
            hops[static_cast<std::size_t>(std::countr_zero(bits)) * n + static_cast<std::size_t>(t)] = level;
          reached |= frontier_[i];
        }
      }
      for (const int r : active_)
        for (const RouterGraph::End& end : routers_.ends_of(r)) receive(end.router, frontier_[r]);
    }
  }

 private:
  void receive(int router, std::uint64_t bits) {
    const auto r = static_cast<std::size_t>(router);
    bits &= ~seen_[r];
    if (bits == 0) return;
    if (incoming_[r] == 0) next_.push_back(router);
    incoming_[r] |= bits;
  }

  const RouterGraph& routers_;
  const std::vector<std::vector<int>>& routers_at_;        // [site]
  std::vector<std::vector<int>> sites_at_;                 // [router]
  std::vector<std::uint64_t> seen_, frontier_, incoming_;  // [router]
  std::vector<std::uint64_t> reached_;                     // [site]
  std::vector<int> active_, next_;                         // routers
};

}  // namespace

void PlaceGraph::add_place(int host, int site) {
  slot_.push_back(!host_.empty() && host_.back() == host ? slot_.back() + 1 : 0);
  host_.push_back(host);
  site_.push_back(site);
  per_host_ = std::max(per_host_, slot_.back() + 1);
}

PlaceGraph::PlaceGraph(const Network& network, int places_per_host) {
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
    for (int k = 0; k < places_per_host; ++k) add_place(h, at->second);
    hosts_at[at->second].push_back(h);
  }
  const std::size_t n = routers_at.size();
  check(n <= kMostSites,
        "network {}: hosts at {} different routers (distances between at most {} are kept). Map onto a part of it.",
        network.name(), n, kMostSites);
  first_.push_back(0);
  for (const std::vector<int>& hosts : hosts_at) {
    for (const int h : hosts)
      for (int k = 0; k < places_per_host; ++k) places_.push_back(h * places_per_host + k);
    first_.push_back(static_cast<int>(places_.size()));
  }

  hops_.assign(n * n, kUnreached);
  BitSearch search(routers, routers_at);
  for (std::size_t s = 0; s < n; s += 64) search.run(s, std::min<std::size_t>(64, n - s), hops_.data() + s * n);
  neighbours_begin_.push_back(0);
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t t = 0; t < n; ++t) {
      const std::uint16_t hops = hops_[s * n + t];
      check(hops != kUnreached,
            "network {}: no path from host {} to host {} (all hosts must reach each other). Add links.", network.name(),
            hosts_at[s][0], hosts_at[t][0]);
      if (t != s && hops <= 1) neighbours_.push_back(static_cast<int>(t));
    }
    neighbours_begin_.push_back(static_cast<int>(neighbours_.size()));
  }
}

PlaceGraph measured_places(std::vector<int> host_of_place, std::span<const double> cost) {
  const std::size_t n = host_of_place.size();
  check(n > 0 && n <= kMostSites && cost.size() == n * n,
        "{} measured costs between {} places (one for each pair; 1 to {} places). Measure each pair.", cost.size(), n,
        kMostSites);
  PlaceGraph places;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t a = 0; a < n; ++a) {
    const int before = a == 0 ? -1 : host_of_place[a - 1], host = host_of_place[a];
    check(host == before + 1 || (a > 0 && host == before),
          "place {} is on host {}, that before it on {} (hosts ascend one by one). Sort the places.", a, host, before);
    places.add_place(host, static_cast<int>(a));
    places.first_.push_back(static_cast<int>(a));
    places.places_.push_back(static_cast<int>(a));
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const double c = cost[a * n + b];
      check(std::isfinite(c) && c >= 0 && c == cost[b * n + a],
            "the cost between places {} and {} is {}, and {} the other way (equal times of 0 or more). Correct it.", a,
            b, c, cost[b * n + a]);
      least = std::min(least, c);
      most = std::max(most, c);
    }
  }
  places.first_.push_back(static_cast<int>(n));

  constexpr double kSteps = 8, kFarthest = std::numeric_limits<std::uint16_t>::max();
  constexpr std::size_t kMostNeighbours = 16;
  if (most > 0) places.hop_cost_ = std::max(least / kSteps, most / kFarthest);
  places.hops_.resize(n * n, 0);
  places.neighbours_begin_.push_back(0);
  std::vector<std::size_t> others;
  for (std::size_t a = 0; a < n; ++a) {
    others.clear();
    for (std::size_t k = 1; k < n; ++k) {
      const std::size_t b =
          (a + k) % n;  // from behind a, so that of equally near ones not all have the same beside them
      places.hops_[a * n + b] = static_cast<std::uint16_t>(std::lround(cost[a * n + b] / places.hop_cost_));
      others.push_back(b);
    }
    const auto hops = places.hops_from(static_cast<int>(a));
    std::ranges::stable_sort(others, {}, [&](std::size_t b) { return hops[b]; });
    std::vector<int> neighbours;
    std::size_t of_doubling = 0;
    for (std::size_t i = 0, scale = 0; i < others.size(); ++i) {
      const auto doubling = static_cast<std::size_t>(std::bit_width(hops[others[i]]));
      of_doubling = doubling == scale ? of_doubling + 1 : 1;
      scale = doubling;
      if (of_doubling <= kMostNeighbours) neighbours.push_back(static_cast<int>(others[i]));
    }
    std::ranges::sort(neighbours);
    places.neighbours_.insert(places.neighbours_.end(), neighbours.begin(), neighbours.end());
    places.neighbours_begin_.push_back(static_cast<int>(places.neighbours_.size()));
  }
  return places;
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
