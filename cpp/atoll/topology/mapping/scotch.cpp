// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/peers.hpp>
#include <atoll/topology/mapping/scotch.hpp>
#include <atoll/topology/network/router_graph.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>

namespace atl {
namespace {

// The functions of libscotch that are used here, for one size of its integers. Handles are opaque.
template <class Num>
struct Functions {
  int (*graph_build)(void* graph, Num base, Num vertices, const Num* first, const Num* end, const Num* loads,
                     const Num* labels, Num edges, const Num* ends, const Num* edge_loads);
  int (*arch_build_exact)(void* arch, const void* graph, Num count, const Num* vertices, const void* strategy);
  int (*arch_build_multilevel)(void* arch, const void* graph, Num count, const Num* vertices);
  int (*strategy_build)(void* strategy, Num flags, Num parts, double imbalance);
  int (*map)(void* graph, const void* arch, void* strategy, Num* parts);
};

class Library {
 public:
  Library() {
    // Its errors are printed by a library of their own, which it expects to be there.
    std::string first;
    for (const std::string version : {"-7.0.so", "-6.1.so", ".so"}) {
      handle_ = dlopen(("libscotcherr" + version).c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (handle_) handle_ = dlopen(("libscotch" + version).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) return;
      const char* const why = dlerror();
      if (first.empty() && why) first = why;
    }
    why_ = fmt::format(
        "{} (Scotch does not load). Install it (Debian, Ubuntu: libscotch-7.0), or choose another method.", first);
  }
  const std::string& why() const { return why_; }

  template <class F>
  void find(F& function, const char* name) const {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    check(function != nullptr, "libscotch: no {} (versions from 6.1 on have it). Install Scotch 7.0.", name);
  }
  int bytes_of_integers() const {
    int (*size)() = nullptr;
    find(size, "SCOTCH_numSizeof");
    return size();
  }
  template <class Num>
  Functions<Num> functions() const {
    Functions<Num> f{};
    find(f.graph_build, "SCOTCH_graphBuild");
    find(f.arch_build_exact, "SCOTCH_archBuild0");
    find(f.arch_build_multilevel, "SCOTCH_archBuild2");
    find(f.strategy_build, "SCOTCH_stratGraphMapBuild");
    find(f.map, "SCOTCH_graphMap");
    return f;
  }

  // A graph, an architecture or a strategy ("graph", "arch", "strat").
  std::shared_ptr<void> make(const std::string& kind) const {
    void* (*allocate)() = nullptr;
    int (*begin)(void*) = nullptr;
    void (*end)(void*) = nullptr;
    void (*release)(void*) = nullptr;
    find(allocate, ("SCOTCH_" + kind + "Alloc").c_str());
    find(begin, ("SCOTCH_" + kind + "Init").c_str());
    find(end, ("SCOTCH_" + kind + "Exit").c_str());
    find(release, "SCOTCH_memFree");
    void* const made = allocate();
    check(made != nullptr && begin(made) == 0, "libscotch: no memory for a {}. Free some.", kind);
    return {made, [end, release](void* p) {
              end(p);
              release(p);
            }};
  }
  // The same numbers for each call.
  void reset_random() const {
    void (*reset)() = nullptr;
    find(reset, "SCOTCH_randomReset");
    reset();
  }

 private:
  void* handle_ = nullptr;
  std::string why_;
};

// A graph as Scotch takes it: first[v] .. first[v + 1] are the edges of v.
template <class Num>
struct ScotchGraph {
  std::vector<Num> first{0}, ends, loads, edge_loads;
};

template <class Num>
ScotchGraph<Num> routers_of(const RouterGraph& routers, const std::vector<std::int64_t>& places_at) {
  ScotchGraph<Num> out;
  for (int r = 0; r < routers.routers(); ++r) {
    int before = -1;
    for (const RouterGraph::End& end : routers.ends_of(r)) {  // parallel cables are one edge
      if (end.router == before) continue;
      before = end.router;
      out.ends.push_back(static_cast<Num>(end.router));
    }
    out.first.push_back(static_cast<Num>(out.ends.size()));
    out.loads.push_back(static_cast<Num>(std::max<std::int64_t>(1, places_at[r])));
  }
  out.edge_loads.assign(out.ends.size(), 1);
  return out;
}

template <class Num>
ScotchGraph<Num> traffic_of(const Peers& peers) {
  double total = 0;
  for (int r = 0; r < peers.ranks(); ++r)
    for (const Peers::Peer& p : peers.of(r)) total += p.bytes;
  constexpr double kMost = 5e8;  // so that sums of loads times hops fit 32 bits
  const double scale = std::min(1.0, kMost / std::max(total, 1.0));
  ScotchGraph<Num> out;
  for (int r = 0; r < peers.ranks(); ++r) {
    for (const Peers::Peer& p : peers.of(r)) {
      out.ends.push_back(static_cast<Num>(p.rank));
      out.edge_loads.push_back(static_cast<Num>(std::max(1.0, std::round(p.bytes * scale))));
    }
    out.first.push_back(static_cast<Num>(out.ends.size()));
    out.loads.push_back(1);
  }
  return out;
}

// [rank] the number of its router in `targets`.
template <class Num>
std::vector<int> mapped(const Library& library, const Peers& peers, const RouterGraph& routers,
                        const std::vector<std::int64_t>& places_at, const std::vector<int>& targets) {
  const Functions<Num> scotch = library.functions<Num>();
  const auto build = [&](void* graph, const ScotchGraph<Num>& from) {
    return scotch.graph_build(graph, 0, static_cast<Num>(from.loads.size()), from.first.data(), from.first.data() + 1,
                              from.loads.data(), nullptr, static_cast<Num>(from.ends.size()), from.ends.data(),
                              from.edge_loads.data()) == 0;
  };
  library.reset_random();
  const ScotchGraph<Num> source = traffic_of<Num>(peers), target = routers_of<Num>(routers, places_at);
  const auto source_graph = library.make("graph"), target_graph = library.make("graph"), arch = library.make("arch"),
             strategy = library.make("strat"), halving = library.make("strat");
  const std::vector<Num> list(targets.begin(), targets.end());
  // Its table of all pairs of domains is better and takes O(routers^2): a second at 512, minutes at 4,096.
  constexpr std::size_t kMostExact = 512;
  const auto count = static_cast<Num>(list.size());
  const bool built = build(source_graph.get(), source) && build(target_graph.get(), target) &&
                     (list.size() <= kMostExact
                          ? scotch.arch_build_exact(arch.get(), target_graph.get(), count, list.data(), halving.get())
                          : scotch.arch_build_multilevel(arch.get(), target_graph.get(), count, list.data())) == 0 &&
                     scotch.strategy_build(strategy.get(), /*flags=*/0, count, /*imbalance=*/0) == 0;
  std::vector<Num> parts(source.loads.size());
  check(built && scotch.map(source_graph.get(), arch.get(), strategy.get(), parts.data()) == 0,
        "Scotch refuses to map {} ranks onto {} routers (its reason is above). Choose another method.", parts.size(),
        list.size());
  return {parts.begin(), parts.end()};
}

}  // namespace

std::string scotch_refusal(const Network& network) {
  if (std::string why = Library().why(); !why.empty()) return why;
  const RouterGraph routers(network);
  for (int h = 0; h < network.hosts(); ++h)
    if (const std::size_t above = routers.routers_of(h).size(); above != 1)
      return fmt::format("network {}: host {} has {} routers (Scotch is given one). Choose another method.",
                         network.name(), h, above);
  return {};
}

std::vector<int> scotch_mapping(const Network& network, const PlaceGraph& places, const TrafficMatrix& traffic) {
  const std::string refusal = scotch_refusal(network);
  check(refusal.empty(), "{}", refusal);
  const Library library;
  check(traffic.ranks <= places.places(),
        "{} ranks onto {} places (each rank needs one). Have fewer ranks, or more places a host.", traffic.ranks,
        places.places());
  const RouterGraph routers(network);
  std::vector<std::int64_t> places_at(static_cast<std::size_t>(routers.routers()), 0);
  std::vector<int> targets, sites;  // the routers with hosts, ascending; [target] its site
  std::vector<int> site_at(places_at.size(), -1);
  for (int h = 0; h < network.hosts(); ++h) {
    const auto router = static_cast<std::size_t>(routers.routers_of(h)[0]);
    places_at[router] += places.places_per_host();
    site_at[router] = places.site_of(h * places.places_per_host());
  }
  for (std::size_t r = 0; r < site_at.size(); ++r)
    if (site_at[r] >= 0) {
      targets.push_back(static_cast<int>(r));
      sites.push_back(site_at[r]);
    }
  const Peers peers(traffic);
  std::vector<int> part(static_cast<std::size_t>(traffic.ranks), 0);
  if (targets.size() > 1)
    part = library.bytes_of_integers() == 8 ? mapped<std::int64_t>(library, peers, routers, places_at, targets)
                                            : mapped<std::int32_t>(library, peers, routers, places_at, targets);
  // Each rank a place of its own.
  std::vector<std::size_t> taken(static_cast<std::size_t>(places.sites()), 0);
  std::vector<int> mapping(part.size(), -1);
  const auto settle = [&](std::size_t rank, int site) {
    const auto there = places.places_of(site);
    std::size_t& next = taken[site];
    if (next == there.size()) return false;
    mapping[rank] = there[next++];
    return true;
  };
  std::vector<std::size_t> crowded;
  for (std::size_t r = 0; r < part.size(); ++r) {
    check(part[r] >= 0 && static_cast<std::size_t>(part[r]) < sites.size(),
          "Scotch maps rank {} onto target {} (there are {}). Choose another method.", r, part[r], sites.size());
    if (!settle(r, sites[part[r]])) crowded.push_back(r);
  }
  for (const std::size_t r : crowded) {
    const auto hops = places.hops_from(sites[part[r]]);
    int nearest = -1;
    for (int s = 0; s < places.sites(); ++s)
      if (taken[s] < places.places_of(s).size() && (nearest < 0 || hops[s] < hops[nearest])) nearest = s;
    ATOLL_ASSERT(nearest >= 0);
    settle(r, nearest);
  }
  return mapping;
}

}  // namespace atl
