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

// What flows put onto links, each direction by itself.
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
    const Link& l = network_.links()[static_cast<std::size_t>(link)];
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
      links.add(hop.link, network.links()[static_cast<std::size_t>(hop.link)].a == hop.from, {1, flow.bytes});
    };
    if (network.has_rule())
      std::ranges::for_each(network.route(flow.host, target), pass);
    else
      for (int at = flow.host; at != target; at = next[static_cast<std::size_t>(at)].to)
        pass(next[static_cast<std::size_t>(at)]);
    length(hops, flow.bytes);
  }
}

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
        const Link& link = network_.links()[static_cast<std::size_t>(end.link)];
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
      hops_[static_cast<std::size_t>(r)] = 0;
      paths_[static_cast<std::size_t>(r)] = 1;
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

// How many of the places are at each site that has some.
std::vector<std::pair<int, double>> by_site(const PlaceGraph& places, std::span<const int> chosen) {
  std::vector<int> sites;
  for (const int p : chosen) sites.push_back(places.site_of(p));
  std::ranges::sort(sites);
  std::vector<std::pair<int, double>> counts;
  for (const int s : sites) {
    if (counts.empty() || counts.back().first != s) counts.emplace_back(s, 0);
    ++counts.back().second;
  }
  return counts;
}

}  // namespace

MappingCost cost_of(const Network& network, const PlaceGraph& places, const TrafficMatrix& traffic,
                    std::span<const int> mapping, MappingPaths paths) {
  check(static_cast<std::size_t>(traffic.ranks) <= mapping.size(),
        "traffic of {} ranks over a mapping of {} (each rank has a place). Map all of them.", traffic.ranks,
        mapping.size());
  std::vector<std::vector<Incoming>> to(static_cast<std::size_t>(network.hosts()));
  for (const RankPair& f : traffic.pairs) {
    const int from = places.host_of(mapping[static_cast<std::size_t>(f.from)]),
              target = places.host_of(mapping[static_cast<std::size_t>(f.to)]);
    if (from != target) to[static_cast<std::size_t>(target)].push_back({from, f.bytes});
  }
  MappingCost cost;
  Links links(network);
  const RouterGraph routers(network);
  EqualCost equal(network, routers);
  const auto length = [&](int hops, double bytes) {
    cost.dilation = std::max<double>(cost.dilation, hops);
    cost.hop_bytes += bytes * hops;
  };
  for (int h = 0; h < network.hosts(); ++h) {
    const std::vector<Incoming>& flows = to[static_cast<std::size_t>(h)];
    if (flows.empty()) continue;
    if (paths == MappingPaths::network)
      route_to(network, h, flows, links, length);
    else
      equal.route_to(h, flows, links, length);
  }
  links.put_into(cost);
  double bytes = 0;
  for (const RankPair& f : traffic.pairs) bytes += f.bytes;
  if (bytes > 0) cost.mean_hops = cost.hop_bytes / bytes;
  return cost;
}

double hop_bytes_of(const PlaceGraph& places, const TrafficMatrix& traffic, std::span<const int> mapping) {
  double sum = 0;
  for (const RankPair& f : traffic.pairs)
    sum += f.bytes * places.hops(mapping[static_cast<std::size_t>(f.from)], mapping[static_cast<std::size_t>(f.to)]);
  return sum;
}

double embedding_aspl(const PlaceGraph& places, std::span<const int> chosen) {
  if (chosen.size() < 2) return 0;
  const auto sites = by_site(places, chosen);
  double sum = 0;
  for (const auto& [a, of_a] : sites)
    for (const auto& [b, of_b] : sites) sum += of_a * of_b * places.site_hops(a, b);
  const auto n = static_cast<double>(chosen.size());
  return sum / (n * (n - 1));
}

int embedding_diameter(const PlaceGraph& places, std::span<const int> chosen) {
  int most = 0;
  const auto sites = by_site(places, chosen);
  for (const auto& [a, of_a] : sites)
    for (const auto& [b, of_b] : sites) most = std::max(most, places.site_hops(a, b));
  return most;
}

}  // namespace atl
