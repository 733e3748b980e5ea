// SPDX-License-Identifier: Apache-2.0
// Equations 1 to 4 of Hamorder.
//
//   in the paper       here
//   C = (V_c, E_c)     TrafficMatrix
//   F                  mapping
//   T(m, n, p)         1 for the network's route; 1 / (number of shortest paths) with MappingPaths::equal_cost
//   capacity of e      bandwidth of e / the fastest bandwidth
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/network/router_graph.hpp>

namespace atl {
namespace {

// Bytes that flows put onto links, each direction by itself.
struct Load {
  double pairs = 0, bytes = 0;
  Load& operator+=(const Load& more) {
    pairs += more.pairs;
    bytes += more.bytes;
    return *this;
  }
  Load operator*(double share) const { return {pairs * share, bytes * share}; }
};

class Links {
 public:
  explicit Links(const Network& network) : network_(network), load_(2 * network.links().size()) {}

  // `forwards`: from the link's a to its b.
  void add(int link, bool forwards, const Load& load) {
    load_[2 * static_cast<std::size_t>(link) + (forwards ? 0 : 1)] += load;
  }
  bool between_routers(int link) const {
    const Link& l = network_.links()[link];
    return l.a >= network_.hosts() && l.b >= network_.hosts();
  }
  void put_into(MappingCost& cost) const {
    double fastest = 0;
    for (std::size_t i = 0; i < network_.links().size(); ++i)
      if (between_routers(static_cast<int>(i))) fastest = std::max(fastest, network_.links()[i].bytes_per_second);
    for (std::size_t i = 0; i < load_.size(); ++i) {
      const double bandwidth = network_.links()[i / 2].bytes_per_second;
      cost.contention = std::max(cost.contention, load_[i].pairs * fastest / bandwidth);
      cost.busiest_link_seconds = std::max(cost.busiest_link_seconds, load_[i].bytes / bandwidth);
    }
  }

 private:
  const Network& network_;
  std::vector<Load> load_;  // [2 * link], and + 1 the other direction
};

struct Incoming {
  int host;
  double bytes;
};

// The flows to one host over the network's routes. Calls length(links, bytes) for each.
template <class Length>
void route_to(const Network& network, int target, std::span<const Incoming> flows, Links& links, Length&& length) {
  std::vector<Hop> next;
  if (!network.has_rule()) next = network.towards(target);
  for (const Incoming& flow : flows) {
    int hops = 0;
    const auto pass = [&](const Hop& hop) {
      if (!links.between_routers(hop.link)) return;
      ++hops;
      links.add(hop.link, network.links()[hop.link].a == hop.from, {1, flow.bytes});
    };
    if (network.has_rule())
      std::ranges::for_each(network.route(flow.host, target), pass);
    else
      for (int at = flow.host; at != target; at = next[at].to) pass(next[at]);
    length(hops, flow.bytes);
  }
}

// The routes of a network without a rule of its own, where each router is a site and no two are joined by several
// links: those of Network::towards(), but found link by link from the hops that are known, as flows are few and short.
class RoutesByHops {
 public:
  RoutesByHops(const Network& network, const PlaceGraph& places, const RouterGraph& routers)
      : network_(network),
        places_(places),
        routers_(routers),
        site_at_(static_cast<std::size_t>(routers.routers()), -1) {
    for (int h = 0; h < network.hosts(); ++h) {
      const auto above = routers.routers_of(h);
      if (above.size() != 1) return;
      site_at_[above[0]] = places.site_of(h * places.places_per_host());
    }
    for (int r = 0; r < routers.routers(); ++r) {
      const auto ends = routers.ends_of(r);
      if (site_at_[r] < 0 || std::ranges::adjacent_find(ends, {}, &RouterGraph::End::router) != ends.end()) return;
    }
    apply_ = !network.has_rule();
  }

  // Whether the network is such a one.
  bool apply() const { return apply_; }

  template <class Length>
  void route_to(int target, std::span<const Incoming> flows, Links& links, Length&& length) const {
    const auto hops = places_.hops_from(places_.site_of(target * places_.places_per_host()));
    const auto left = [&](int router) { return hops[site_at_[router]]; };
    for (const Incoming& flow : flows) {
      int at = routers_.routers_of(flow.host)[0];
      length(left(at), flow.bytes);
      while (left(at) > 0) {
        const auto ends = routers_.ends_of(at);
        const auto nearer = std::ranges::find_if(ends, [&](const auto& end) { return left(end.router) < left(at); });
        const Link& link = network_.links()[nearer->link];
        links.add(nearer->link, link.a - network_.hosts() == at, {1, flow.bytes});
        at = nearer->router;
      }
    }
  }

 private:
  const Network& network_;
  const PlaceGraph& places_;
  const RouterGraph& routers_;
  std::vector<int> site_at_;  // [router]
  bool apply_ = false;
};

// The flows to one host over all shortest paths: routers by their distance from it, and how many paths lead there.
class EqualCost {
 public:
  EqualCost(const Network& network, const RouterGraph& routers)
      : network_(network),
        routers_(routers),
        hops_(static_cast<std::size_t>(routers.routers())),
        paths_(hops_.size()),
        inflow_(hops_.size()) {}

  template <class Length>
  void route_to(int target, std::span<const Incoming> flows, Links& links, Length&& length) {
    search(target);
    std::ranges::fill(inflow_, Load{});
    for (const Incoming& flow : flows) {
      int nearest = -1;
      double paths = 0;
      for (const int r : routers_.routers_of(flow.host)) {
        const auto i = static_cast<std::size_t>(r);
        if (hops_[i] < 0 || (nearest >= 0 && hops_[i] > nearest)) continue;
        if (hops_[i] != nearest) paths = 0;
        nearest = hops_[i];
        paths += paths_[i];
      }
      ATOLL_ASSERT(nearest >= 0);
      for (const int r : routers_.routers_of(flow.host)) {
        const auto i = static_cast<std::size_t>(r);
        if (hops_[i] == nearest) inflow_[i] += Load{1, flow.bytes} * (paths_[i] / paths);
      }
      length(nearest, flow.bytes);
    }
    for (std::size_t q = order_.size(); q-- > 0;) {
      const auto r = static_cast<std::size_t>(order_[q]);
      if (hops_[r] == 0 || inflow_[r].pairs == 0) continue;
      for (const RouterGraph::End& end : routers_.ends_of(order_[q])) {
        const auto s = static_cast<std::size_t>(end.router);
        if (hops_[s] != hops_[r] - 1) continue;
        const Load share = inflow_[r] * (paths_[s] / paths_[r]);
        inflow_[s] += share;
        const Link& link = network_.links()[end.link];
        links.add(end.link, link.a - network_.hosts() == order_[q], share);
      }
    }
  }

 private:
  void search(int target) {
    std::ranges::fill(hops_, -1);
    std::ranges::fill(paths_, 0.0);
    const auto from = routers_.routers_of(target);
    order_.assign(from.begin(), from.end());
    for (const int r : order_) {
      hops_[r] = 0;
      paths_[r] = 1;
    }
    for (std::size_t q = 0; q < order_.size(); ++q) {
      const auto r = static_cast<std::size_t>(order_[q]);
      for (const RouterGraph::End& end : routers_.ends_of(order_[q])) {
        const auto s = static_cast<std::size_t>(end.router);
        if (hops_[s] < 0) {
          hops_[s] = hops_[r] + 1;
          order_.push_back(end.router);
        }
        if (hops_[s] == hops_[r] + 1) paths_[s] += paths_[r];
      }
    }
  }

  const Network& network_;
  const RouterGraph& routers_;
  std::vector<int> hops_, order_;
  std::vector<double> paths_;
  std::vector<Load> inflow_;
};

// [site] how many of the places are there.
std::vector<std::int32_t> by_site(const PlaceGraph& places, std::span<const int> chosen) {
  std::vector<std::int32_t> count(static_cast<std::size_t>(places.sites()), 0);
  for (const int p : chosen) ++count[places.site_of(p)];
  return count;
}

}  // namespace

MappingCost cost_of(const Network& network, const PlaceGraph& places, const TrafficMatrix& traffic,
                    std::span<const int> mapping, MappingPaths paths) {
  check(static_cast<std::size_t>(traffic.ranks) <= mapping.size(),
        "traffic of {} ranks over a mapping of {} (each rank has a place). Map all of them.", traffic.ranks,
        mapping.size());
  std::vector<std::vector<Incoming>> to(static_cast<std::size_t>(network.hosts()));
  for (const RankPair& f : traffic.pairs) {
    const int from = places.host_of(mapping[f.from]), target = places.host_of(mapping[f.to]);
    if (from != target) to[target].push_back({from, f.bytes});
  }
  MappingCost cost;
  Links links(network);
  const RouterGraph routers(network);
  EqualCost equal(network, routers);
  const RoutesByHops by_hops(network, places, routers);
  const auto length = [&](int hops, double bytes) {
    cost.dilation = std::max<double>(cost.dilation, hops);
    cost.hop_bytes += bytes * hops;
  };
  for (int h = 0; h < network.hosts(); ++h) {
    const std::vector<Incoming>& flows = to[h];
    if (flows.empty()) continue;
    if (paths == MappingPaths::equal_cost)
      equal.route_to(h, flows, links, length);
    else if (by_hops.apply())
      by_hops.route_to(h, flows, links, length);
    else
      route_to(network, h, flows, links, length);
  }
  links.put_into(cost);
  double bytes = 0;
  for (const RankPair& f : traffic.pairs) bytes += f.bytes;
  if (bytes > 0) cost.mean_hops = cost.hop_bytes / bytes;
  return cost;
}

double hop_bytes_of(const PlaceGraph& places, const TrafficMatrix& traffic, std::span<const int> mapping) {
  double sum = 0;
  for (const RankPair& f : traffic.pairs) sum += f.bytes * places.hops(mapping[f.from], mapping[f.to]);
  return sum;
}

double embedding_aspl(const PlaceGraph& places, std::span<const int> chosen) {
  if (chosen.size() < 2) return 0;
  const std::vector<std::int32_t> count = by_site(places, chosen);
  double sum = 0;
  for (std::size_t a = 0; a < count.size(); ++a) {
    if (count[a] == 0) continue;
    const auto hops = places.hops_from(static_cast<int>(a));
    std::int64_t row = 0;
    for (std::size_t b = 0; b < count.size(); ++b) row += static_cast<std::int64_t>(count[b]) * hops[b];
    sum += static_cast<double>(count[a] * row);
  }
  const auto n = static_cast<double>(chosen.size());
  return sum / (n * (n - 1));
}

int embedding_diameter(const PlaceGraph& places, std::span<const int> chosen) {
  int most = 0;
  const std::vector<std::int32_t> count = by_site(places, chosen);
  for (std::size_t a = 0; a < count.size(); ++a) {
    if (count[a] == 0) continue;
    const auto hops = places.hops_from(static_cast<int>(a));
    for (std::size_t b = 0; b < count.size(); ++b) most = std::max(most, count[b] > 0 ? static_cast<int>(hops[b]) : 0);
  }
  return most;
}

}  // namespace atl
