// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <map>
#include <numeric>
#include <string>

#include "mapping_samples.hpp"

using namespace atl;

namespace {

std::vector<int> identity(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// All simple paths of the least length from host a to host b as lists of (link, forwards), by depth-first search.
using Path = std::vector<std::pair<int, bool>>;
std::vector<Path> shortest_paths(const Network& n, int a, int b) {
  std::vector<Path> found;
  Path path;
  std::vector<bool> seen(static_cast<std::size_t>(n.hosts() + n.routers()), false);
  const auto walk = [&](const auto& self, int at) -> void {
    if (at == b) {
      if (!found.empty() && path.size() < found[0].size()) found.clear();
      if (found.empty() || path.size() == found[0].size()) found.push_back(path);
      return;
    }
    if (at < n.hosts() && at != a) return;
    seen[static_cast<std::size_t>(at)] = true;
    for (std::size_t i = 0; i < n.links().size(); ++i) {
      const Link& l = n.links()[i];
      if (l.a != at && l.b != at) continue;
      const int to = l.a == at ? l.b : l.a;
      if (seen[static_cast<std::size_t>(to)]) continue;
      path.emplace_back(static_cast<int>(i), l.a == at);
      self(self, to);
      path.pop_back();
    }
    seen[static_cast<std::size_t>(at)] = false;
  };
  walk(walk, a);
  return found;
}

// Equations 1 to 4, term by term.
MappingCost by_equations(const Network& n, const PlaceGraph& places, const TrafficMatrix& traffic,
                         const std::vector<int>& mapping, MappingPaths paths) {
  MappingCost cost;
  std::map<std::pair<int, bool>, std::pair<double, double>> load;  // pairs, bytes
  double fastest = 0, bytes = 0;
  for (const Link& l : n.links())
    if (l.a >= n.hosts() && l.b >= n.hosts()) fastest = std::max(fastest, l.bytes_per_second);
  for (const RankPair& f : traffic.pairs) {
    const int a = places.host_of(mapping[static_cast<std::size_t>(f.from)]),
              b = places.host_of(mapping[static_cast<std::size_t>(f.to)]);
    bytes += f.bytes;
    if (a == b) continue;
    std::vector<Path> all;
    if (paths == MappingPaths::equal_cost) {
      all = shortest_paths(n, a, b);
    } else {
      all.emplace_back();
      for (const Hop& hop : n.route(a, b))
        all[0].emplace_back(hop.link, n.links()[static_cast<std::size_t>(hop.link)].a == hop.from);
    }
    double dilation = 0;
    for (const Path& p : all)
      for (const auto& step : p) {
        const Link& l = n.links()[static_cast<std::size_t>(step.first)];
        if (l.a < n.hosts() || l.b < n.hosts()) continue;
        const double share = 1.0 / static_cast<double>(all.size());
        dilation += share;
        load[step].first += share * fastest / l.bytes_per_second;
        load[step].second += share * f.bytes / l.bytes_per_second;
      }
    cost.dilation = std::max(cost.dilation, dilation);
    cost.hop_bytes += f.bytes * dilation;
  }
  for (const auto& [link, l] : load) {
    cost.contention = std::max(cost.contention, l.first);
    cost.busiest_link_seconds = std::max(cost.busiest_link_seconds, l.second);
  }
  cost.mean_hops = cost.hop_bytes / bytes;
  return cost;
}

}  // namespace

TEST_CASE("costs are those of equations 1 to 4, over one path or all shortest ones") {
  for (const std::string name : {"torus:3x4", "mesh:3x3", "random:12:3", "fat-tree:4", "dragonfly:2,3,1,2",
                                 "fat-tree:2;2,3;2,2;2,1", "cluster:2x3"}) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    const PlaceGraph places(n);
    Random random(7);
    const TrafficMatrix all = traffic_pattern("alltoall", places.places());
    TrafficMatrix traffic{all.ranks, {}};
    for (const RankPair& f : all.pairs)
      if (random() % 3 == 0) traffic.pairs.push_back({f.from, f.to, 1 + static_cast<double>(random.below(9))});
    const std::vector<int> mapping = random_order(places, 3);
    for (const MappingPaths paths : {MappingPaths::network, MappingPaths::equal_cost}) {
      if (paths == MappingPaths::equal_cost && name.starts_with("dragonfly")) continue;
      const MappingCost is = cost_of(n, places, traffic, mapping, paths),
                        should = by_equations(n, places, traffic, mapping, paths);
      CHECK(is.dilation == doctest::Approx(should.dilation));
      CHECK(is.contention == doctest::Approx(should.contention));
      CHECK(is.hop_bytes == doctest::Approx(should.hop_bytes));
      CHECK(is.mean_hops == doctest::Approx(should.mean_hops));
      CHECK(is.busiest_link_seconds == doctest::Approx(should.busiest_link_seconds));
      if (!name.starts_with("dragonfly"))
        CHECK(hop_bytes_of(places, traffic, mapping) == doctest::Approx(should.hop_bytes));
    }
  }
}

TEST_CASE("a slow link weighs by its capacity") {
  // 0 - 1 - 2, the second link at half of the first one's bandwidth.
  Network::Parts parts{.name = "slow",
                       .hosts = 3,
                       .routers = 3,
                       .links = {{.a = 0, .b = 3},
                                 {.a = 1, .b = 4},
                                 {.a = 2, .b = 5},
                                 {.a = 3, .b = 4, .latency_s = 1e-7, .bytes_per_second = 10},
                                 {.a = 5, .b = 4, .latency_s = 1e-7, .bytes_per_second = 5}},
                       .groups = {.kind = "system", .name = {}, .children = {}, .ranks = {0, 1, 2}},
                       .path = {},
                       .bisection = std::nullopt};
  const Network n(parts);
  const PlaceGraph places(n);
  const TrafficMatrix traffic{3, {{0, 1, 40}, {0, 2, 10}, {1, 2, 10}}};
  for (const MappingPaths paths : {MappingPaths::network, MappingPaths::equal_cost}) {
    const MappingCost cost = cost_of(n, places, traffic, identity(3), paths);
    CHECK(cost.contention == doctest::Approx(4));            // two pairs over half a link
    CHECK(cost.busiest_link_seconds == doctest::Approx(5));  // 50 bytes over the first one, 20 over the second
    CHECK(cost.dilation == doctest::Approx(2));
    CHECK(cost.hop_bytes == doctest::Approx(40 + 20 + 10));
  }
}

TEST_CASE("a grid of ranks on the mesh or torus of its size has dilation 1 and contention 1") {
  for (const std::string name : {"mesh:8x8", "torus:8x8"}) {
    const Network n = Network::parse(name);
    const PlaceGraph places(n);
    const MappingCost cost = cost_of(n, places, traffic_pattern("grid2d", 64), identity(64), MappingPaths::network);
    CHECK(cost.dilation == 1);
    CHECK(cost.contention == 1);
    CHECK(cost.mean_hops == 1);
  }
}

TEST_CASE("two jobs of four on a torus of 4 x 2: contention only where their ranks are interleaved (figure 3)") {
  const Network n = Network::parse("torus:4x2");
  const PlaceGraph places(n);
  TrafficMatrix traffic = traffic_pattern("grid2d", 4);
  add_job(traffic, traffic_pattern("grid2d", 4));
  REQUIRE(traffic.ranks == 8);
  const MappingCost apart = cost_of(n, places, traffic, identity(8), MappingPaths::network);
  CHECK(apart.dilation == 1);
  CHECK(apart.contention == 1);
  const std::vector<int> rows_in_turns{0, 1, 4, 5, 2, 3, 6, 7};
  const MappingCost mixed = cost_of(n, places, traffic, rows_in_turns, MappingPaths::network);
  CHECK(mixed.dilation == 2);
  CHECK(mixed.contention > 1);
}

TEST_CASE("the embedding's ASPL is the mean over its pairs, and that of all hosts is the network's") {
  for (const std::string name : {"random:64:4", "fat-tree:4", "torus:4x4"}) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    const PlaceGraph places(n);
    CHECK(embedding_aspl(places, identity(n.hosts())) == doctest::Approx(n.distances().aspl));
    CHECK(embedding_diameter(places, identity(n.hosts())) == n.distances().diameter);
  }
  const PlaceGraph line(Network::parse("mesh:5"));
  CHECK(embedding_aspl(line, std::vector{0, 1, 4}) == doctest::Approx((1 + 4 + 3) / 3.0));
  CHECK(embedding_diameter(line, std::vector{0, 1, 4}) == 4);
  CHECK(embedding_aspl(line, std::vector{2}) == 0);
}

TEST_CASE("each rank needs a place") {
  const Network n = Network::parse("mesh:3");
  CHECK_THROWS_AS(cost_of(n, PlaceGraph(n), traffic_pattern("line", 3), std::vector{0, 1}, MappingPaths::network),
                  InputError);
}
