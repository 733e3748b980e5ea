// SPDX-License-Identifier: Apache-2.0
//   in the paper              here
//   source graph S            Peers of the traffic
//   target graph T            places, and the hops between their sites
//   domain                    Domain: sites, and the ranks that are among them so far
//   partial cost function     the WeightedGraph of a domain's ranks: edges inside, and pulls towards those outside
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/dual_bisection.hpp>
#include <atoll/topology/mapping/peers.hpp>
#include <atoll/topology/mapping/weighted_bisection.hpp>
#include <limits>
#include <numeric>

namespace atl {
namespace {

// Sites, in groups that shall stay together, and which groups are beside each other.
struct SiteGroups {
  std::vector<int> group;                       // [site in the order given]
  std::vector<std::pair<int, int>> neighbours;  // both ways, ascending
};

// Joins what the edges connect into one group each. [vertex] its component, numbered in the order of the vertices.
std::vector<int> components(int vertices, const std::vector<std::pair<int, int>>& edges, int& count) {
  std::vector<int> root(static_cast<std::size_t>(vertices));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int v) {
    while (root[static_cast<std::size_t>(v)] != v) {
      int& up = root[static_cast<std::size_t>(v)];
      up = root[static_cast<std::size_t>(up)];
      v = up;
    }
    return v;
  };
  for (const auto& [a, b] : edges) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    root[static_cast<std::size_t>(high)] = low;
  }
  std::vector<int> number(root.size(), -1);
  count = 0;
  for (int v = 0; v < vertices; ++v) {
    int& of_root = number[static_cast<std::size_t>(find(v))];
    if (of_root < 0) of_root = count++;
    number[static_cast<std::size_t>(v)] = of_root;
  }
  return number;
}

// Returns the groups between which a bisection may cut. If links connect all sites, each site is a group. Otherwise
// (the leaves of a tree are several links apart) the nearest sites count as neighbours and each connected set of them
// becomes a group; this repeats, and the last step before all would be one group is kept.
SiteGroups site_groups(const PlaceGraph& places, const std::vector<int>& sites) {
  SiteGroups out;
  out.group.resize(sites.size());
  std::iota(out.group.begin(), out.group.end(), 0);
  for (std::size_t i = 0; i < sites.size(); ++i)
    for (const int s : places.neighbours_of(sites[i]))
      if (const auto at = std::ranges::lower_bound(sites, s); at != sites.end() && *at == s)
        out.neighbours.emplace_back(static_cast<int>(i), static_cast<int>(at - sites.begin()));
  std::vector<int> heads = sites;  // [group] a site of it
  for (;;) {
    int count = 0;
    const std::vector<int> component = components(static_cast<int>(heads.size()), out.neighbours, count);
    if (count == 1) return out;
    if (!out.neighbours.empty()) {
      std::vector<std::size_t> members(static_cast<std::size_t>(count), 0);
      for (int& g : out.group) ++members[static_cast<std::size_t>(g = component[static_cast<std::size_t>(g)])];
      if (2 * std::ranges::max(members) > sites.size()) {
        // Stray sites beside one large group: these are no halves.
        std::vector<int> first(heads.size());
        std::iota(first.begin(), first.end(), 0);
        if (heads.size() == sites.size()) out.group = first;
        return out;
      }
      std::vector<int> merged(static_cast<std::size_t>(count));
      for (std::size_t h = heads.size(); h-- > 0;) merged[static_cast<std::size_t>(component[h])] = heads[h];
      heads = std::move(merged);
      out.neighbours.clear();
    }
    for (std::size_t g = 0; g < heads.size(); ++g) {
      const auto hops = places.hops_from(heads[g]);
      int nearest = std::numeric_limits<int>::max();
      for (std::size_t h = 0; h < heads.size(); ++h)
        if (h != g) nearest = std::min<int>(nearest, hops[static_cast<std::size_t>(heads[h])]);
      for (std::size_t h = 0; h < heads.size(); ++h)
        if (h != g && hops[static_cast<std::size_t>(heads[h])] == nearest) {
          out.neighbours.emplace_back(static_cast<int>(g), static_cast<int>(h));
          out.neighbours.emplace_back(static_cast<int>(h), static_cast<int>(g));
        }
    }
    std::ranges::sort(out.neighbours);
    out.neighbours.erase(std::unique(out.neighbours.begin(), out.neighbours.end()), out.neighbours.end());
  }
}

struct Domain {
  std::vector<int> sites, ranks;  // ascending
  std::int64_t places = 0;
};

class DualBisection {
 public:
  DualBisection(const PlaceGraph& places, const TrafficMatrix& traffic, std::uint64_t seed)
      : places_(places),
        peers_(traffic),
        random_(seed),
        domain_of_(static_cast<std::size_t>(traffic.ranks), 0),
        local_(domain_of_.size(), -1) {
    Domain all;
    all.sites.resize(static_cast<std::size_t>(places.sites()));
    std::iota(all.sites.begin(), all.sites.end(), 0);
    all.ranks.resize(domain_of_.size());
    std::iota(all.ranks.begin(), all.ranks.end(), 0);
    all.places = places.places();
    domains_.push_back(std::move(all));
  }

  std::vector<int> run() {
    std::vector<int> mapping(domain_of_.size());
    // In the order of their levels, so that those outside are known as well as those inside.
    for (std::size_t d = 0; d < domains_.size(); ++d) {
      if (domains_[d].sites.size() > 1) {
        divide(d);
        continue;
      }
      const auto there = places_.places_of(domains_[d].sites[0]);
      for (std::size_t i = 0; i < domains_[d].ranks.size(); ++i)
        mapping[static_cast<std::size_t>(domains_[d].ranks[i])] = there[i];
    }
    return mapping;
  }

 private:
  void divide(std::size_t d) {
    if (domains_[d].ranks.empty()) return;
    Domain half[2];
    divide_sites(domains_[d], half);
    const std::vector<char> part = parts_of_ranks(d, half);
    for (std::size_t i = 0; i < part.size(); ++i)
      half[static_cast<std::size_t>(part[i])].ranks.push_back(domains_[d].ranks[i]);
    for (Domain& h : half) {
      for (const int r : h.ranks) domain_of_[static_cast<std::size_t>(r)] = domains_.size();
      domains_.push_back(std::move(h));
    }
  }

  void divide_sites(const Domain& whole, Domain half[2]) {
    const SiteGroups groups = site_groups(places_, whole.sites);
    std::vector<std::int64_t> size(static_cast<std::size_t>(std::ranges::max(groups.group)) + 1, 0);
    for (std::size_t i = 0; i < whole.sites.size(); ++i)
      size[static_cast<std::size_t>(groups.group[i])] +=
          static_cast<std::int64_t>(places_.places_of(whole.sites[i]).size());
    WeightedGraph graph;
    std::vector<WeightedGraph::Edge> ends;
    auto edge = groups.neighbours.begin();
    for (std::size_t g = 0; g < size.size(); ++g) {
      ends.clear();
      for (; edge != groups.neighbours.end() && edge->first == static_cast<int>(g); ++edge)
        ends.push_back({edge->second, 1});
      graph.add_vertex(size[g], ends);
    }
    const std::int64_t most = std::ranges::max(size);
    std::vector<char> part = bisected(graph, {(whole.places - most + 1) / 2, (whole.places + most) / 2}, random_);
    if (std::ranges::find(part, part[0], [&](char s) { return static_cast<char>(1 - s); }) == part.end())
      part[0] = 1 - part[0];
    for (std::size_t i = 0; i < whole.sites.size(); ++i) {
      Domain& h = half[static_cast<std::size_t>(part[static_cast<std::size_t>(groups.group[i])])];
      h.sites.push_back(whole.sites[i]);
      h.places += static_cast<std::int64_t>(places_.places_of(whole.sites[i]).size());
    }
  }

  std::vector<char> parts_of_ranks(std::size_t d, const Domain half[2]) {
    const std::vector<int>& ranks = domains_[d].ranks;
    const double apart = mean_hops(half[0].sites, half[1].sites),
                 within = (mean_hops(half[0].sites, half[0].sites) + mean_hops(half[1].sites, half[1].sites)) / 2;
    constexpr double kLeast = 1e-3;  // hops: where the halves are no nearer within, few bytes between are still better
    const double cut = std::max(kLeast, apart - within);
    for (std::size_t i = 0; i < ranks.size(); ++i) local_[static_cast<std::size_t>(ranks[i])] = static_cast<int>(i);
    farther_.resize(domains_.size());
    known_.resize(domains_.size(), kNobody);
    WeightedGraph graph;
    std::vector<WeightedGraph::Edge> ends;
    for (const int r : ranks) {
      ends.clear();
      double pull = 0;
      for (const Peers::Peer& p : peers_.of(r)) {
        const std::size_t there = domain_of_[static_cast<std::size_t>(p.rank)];
        if (there == d) {
          ends.push_back({local_[static_cast<std::size_t>(p.rank)], p.bytes * cut});
          continue;
        }
        if (known_[there] != d) {
          known_[there] = d;
          farther_[there] =
              mean_hops(half[1].sites, domains_[there].sites) - mean_hops(half[0].sites, domains_[there].sites);
        }
        pull += p.bytes * farther_[there];
      }
      graph.add_vertex(1, ends, pull);
    }
    const auto all = static_cast<std::int64_t>(ranks.size());
    const PartBounds bounds{std::max<std::int64_t>(0, all - half[1].places), std::min(all, half[0].places)};
    // Where each site of one half is as far from each of the other, as in a tree, the bytes between the halves are what
    // the cut costs, and a better cut is a better mapping. Elsewhere it need not be.
    constexpr int kTries = 4;
    return bisected(graph, bounds, random_, are_equally_apart(half[0].sites, half[1].sites) ? kTries : 1);
  }

  bool are_equally_apart(const std::vector<int>& from, const std::vector<int>& to) const {
    const auto apart = places_.site_hops(from[0], to[0]);
    return std::ranges::all_of(from, [&](int a) {
      const auto hops = places_.hops_from(a);
      return std::ranges::all_of(to, [&](int b) { return hops[static_cast<std::size_t>(b)] == apart; });
    });
  }

  double mean_hops(const std::vector<int>& from, const std::vector<int>& to) const {
    std::int64_t sum = 0;
    for (const int a : from) {
      const auto hops = places_.hops_from(a);
      std::int32_t row = 0;
      for (const int b : to) row += hops[static_cast<std::size_t>(b)];
      sum += row;
    }
    return static_cast<double>(sum) / (static_cast<double>(from.size()) * static_cast<double>(to.size()));
  }

  static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();
  const PlaceGraph& places_;
  const Peers peers_;
  Random random_;
  std::vector<Domain> domains_;
  std::vector<std::size_t> domain_of_;  // [rank]
  std::vector<int> local_;              // [rank] its number in the domain being divided
  std::vector<double> farther_;         // [domain] hops from half 1 of the divided one beyond those from half 0
  std::vector<std::size_t> known_;      // [domain] the divided one that farther_ is of
};

}  // namespace

std::vector<int> dual_bisection(const PlaceGraph& places, const TrafficMatrix& traffic, std::uint64_t seed) {
  check(traffic.ranks <= places.places(),
        "{} ranks onto {} places (each rank needs one). Have fewer ranks, or more places a host.", traffic.ranks,
        places.places());
  return DualBisection(places, traffic, seed).run();
}

}  // namespace atl
