// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <cstdlib>
#include <string>

#include "../network/network_oracle.hpp"
#include "topology/mapping/mapping_samples.hpp"

using namespace atl;

TEST_CASE("hops between places are those of a relaxation over all links, without the hosts' own") {
  for (const std::string name : {"cluster:2x3", "fat-tree:4", "dragonfly:2,4,2", "torus:3x4", "mesh:7", "random:32:5:3",
                                 "random:1:0", "cluster:4"}) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    const PlaceGraph places(n, 3);
    REQUIRE(places.places() == 3 * n.hosts());
    for (int a = 0; a < places.places(); ++a) {
      const std::vector<int> hops = oracle::hops_from(n, a / 3);
      for (int b = 0; b < places.places(); ++b)
        CHECK(places.hops(a, b) == (a / 3 == b / 3 ? 0 : hops[static_cast<std::size_t>(b / 3)] - 2));
    }
  }
}

TEST_CASE("a site has the hosts of the same routers, and its places stay together") {
  const PlaceGraph places(Network::parse("cluster:2x3"), 2);
  REQUIRE(places.sites() == 2);
  CHECK(std::vector(places.places_of(1).begin(), places.places_of(1).end()) == std::vector{6, 7, 8, 9, 10, 11});
  CHECK(places.site_of(5) == 0);
  CHECK(places.host_of(5) == 2);
  CHECK(places.neighbours_of(0).empty());  // the other leaf switch is two links away
  CHECK(places_in_order(places, std::vector{1, 0}).front() == 6);
}

TEST_CASE("sites beside a site are those that a link joins to it") {
  const PlaceGraph places(Network::parse("mesh:3x3"));
  const auto neighbours = places.neighbours_of(4);
  CHECK(std::vector(neighbours.begin(), neighbours.end()) == std::vector{1, 3, 5, 7});
}

TEST_CASE("hosts of several routers that share one are no link apart, and must all reach each other") {
  // Host 1 has both routers; hosts do not forward.
  Network::Parts parts{
      .name = "rails",
      .hosts = 3,
      .routers = 2,
      .links = {{.a = 0, .b = 3}, {.a = 1, .b = 3}, {.a = 1, .b = 4}, {.a = 2, .b = 4}, {.a = 3, .b = 4}},
      .groups = {.kind = "system", .name = {}, .children = {}, .ranks = {0, 1, 2}},
      .path = {},
      .bisection = std::nullopt};
  const PlaceGraph places{Network(parts)};
  CHECK(places.sites() == 3);
  CHECK(places.hops(0, 1) == 0);
  CHECK(places.hops(1, 2) == 0);
  CHECK(places.hops(0, 2) == 1);
}

TEST_CASE("a host without places is refused") {
  CHECK_THROWS_WITH_AS(PlaceGraph(Network::parse("mesh:4"), 0), "0 places on each host (at least one). Give more.",
                       InputError);
}

TEST_CASE("measured places are as far apart as was measured, to an eighth of the least") {
  // Hosts 0 and 1 of a rack, host 2 in another; two places on host 0.
  const std::vector<double> cost{0, 1, 4, 40, 1, 0, 4, 40, 4, 4, 0, 41, 40, 40, 41, 0};
  const PlaceGraph places = measured_places({0, 0, 1, 2}, cost);
  CHECK(places.places() == 4);
  CHECK(places.hosts() == 3);
  CHECK(places.places_per_host() == 2);
  CHECK(places.sites() == 4);
  CHECK(places.host_of(2) == 1);
  CHECK(places.slot_of(1) == 1);
  CHECK(places.slot_of(2) == 0);
  for (int a = 0; a < 4; ++a) {
    CHECK(places.neighbours_of(a).size() == 3);
    for (int b = 0; b < 4; ++b)
      CHECK(places.hops(a, b) * places.hop_cost() == cost[static_cast<std::size_t>(4 * a + b)]);
  }
}

TEST_CASE("beside a measured place are some at each distance, and never itself") {
  // 64 places in a row on hosts of their own.
  constexpr int n = 64;
  std::vector<double> cost;
  std::vector<int> hosts;
  for (int a = 0; a < n; ++a) {
    hosts.push_back(a);
    for (int b = 0; b < n; ++b) cost.push_back(std::abs(a - b));
  }
  const PlaceGraph places = measured_places(hosts, cost);
  for (int a = 0; a < n; ++a) {
    const auto neighbours = places.neighbours_of(a);
    CHECK(std::ranges::adjacent_find(neighbours, std::ranges::greater_equal()) == neighbours.end());
    CHECK(std::ranges::find(neighbours, a) == neighbours.end());
    for (const int near : {a - 1, a + 1})
      if (near >= 0 && near < n) CHECK(std::ranges::find(neighbours, near) != neighbours.end());
    int farthest = 0;
    for (const int b : neighbours) farthest = std::max(farthest, std::abs(a - b));
    CHECK(farthest >= 32);
  }
}

TEST_CASE("measured costs that are none are refused") {
  CHECK_THROWS_WITH_AS(measured_places({0, 2}, std::vector<double>{0, 1, 1, 0}),
                       "place 1 is on host 2, that before it on 0 (hosts ascend one by one). Sort the places.",
                       InputError);
  CHECK_THROWS_AS(measured_places({0, 1}, std::vector<double>{0, 1, 2, 0}), InputError);
  CHECK_THROWS_AS(measured_places({0, 1}, std::vector<double>{0, 1}), InputError);
}
