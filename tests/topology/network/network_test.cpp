// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/topology/network/network.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "network_oracle.hpp"

using namespace atl;

namespace {

const char* const kSmall[] = {"cluster:1",
                              "cluster:4",
                              "cluster:2x3",
                              "cluster:2x2x2x2",
                              "fat-tree:2",
                              "fat-tree:4",
                              "fat-tree:2;4,4;1,2;1,2",
                              "fat-tree:3;2,3,2;2,1,3;1,2,1",
                              "fat-tree:2;2,3;2,2;2,1",
                              "dragonfly:1,2,1",
                              "dragonfly:2,4,2",
                              "dragonfly:2,3,1,2",
                              "dragonfly:1,1,3",
                              "dragonfly:3,4;4,3;5,1;2",
                              "dragonfly:5,1;2,1;2,1;1",
                              "torus:5",
                              "torus:2x2",
                              "torus:3x4",
                              "torus:3x2x2",
                              "torus:4x4x4",
                              "mesh:7",
                              "mesh:3x1x4",
                              "mesh:4x4",
                              "hyperx:4",
                              "hyperx:3x4",
                              "hyperx:2x3x2:3",
                              "hyperx:1x5:2",
                              "random:1:0",
                              "random:2:1",
                              "random:10:3",
                              "random:16:2:7",
                              "random:32:5:3",
                              "random:8:7"};

// Each hop's link joins both of its ends, and the hops form a path from a to b.
void check_walk(const Network& n, const std::vector<Hop>& route, int a, int b) {
  int at = a;
  std::set<int> seen{a};
  for (const Hop& hop : route) {
    const Link& l = n.links()[static_cast<std::size_t>(hop.link)];
    REQUIRE(((l.a == hop.from && l.b == hop.to) || (l.b == hop.from && l.a == hop.to)));
    REQUIRE(hop.from == at);
    at = hop.to;
    REQUIRE((at >= n.hosts() || at == b));  // only routers forward
    REQUIRE(seen.insert(at).second);
  }
  REQUIRE(at == b);
}

bool is_dragonfly(const std::string& name) { return name.starts_with("dragonfly"); }

}  // namespace

TEST_CASE("every route is a walk of shortest length, from any host to any") {
  for (const std::string name : kSmall) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    for (int a = 0; a < n.hosts(); ++a) {
      const std::vector<int> hops = oracle::hops_from(n, a);
      for (int b = 0; b < n.hosts(); ++b) {
        const auto route = n.route(a, b);
        CHECK(route == n.route(a, b));
        check_walk(n, route, a, b);
        if (is_dragonfly(name))
          CHECK(static_cast<int>(route.size()) >= hops[static_cast<std::size_t>(b)]);
        else
          CHECK(static_cast<int>(route.size()) == hops[static_cast<std::size_t>(b)]);
      }
    }
  }
}

TEST_CASE("a dragonfly's route is the shortest with at most one global link") {
  const std::map<std::string, int> group_routers{{"dragonfly:1,2,1", 2},          {"dragonfly:2,4,2", 4},
                                                 {"dragonfly:2,3,1,2", 3},        {"dragonfly:1,1,3", 1},
                                                 {"dragonfly:3,4;4,3;5,1;2", 20}, {"dragonfly:5,1;2,1;2,1;1", 4},
                                                 {"dragonfly:2,3;1,1;4,2;2", 4}};
  for (const auto& [name, group] : group_routers) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    const auto is_global = [&, size = group](const Link& l) {
      return l.a >= n.hosts() && l.b >= n.hosts() && (l.a - n.hosts()) / size != (l.b - n.hosts()) / size;
    };
    for (int a = 0; a < n.hosts(); ++a) {
      const std::vector<int> hops = oracle::hops_with_one(n, a, is_global);
      for (int b = 0; b < n.hosts(); ++b) {
        const auto route = n.route(a, b);
        CHECK(static_cast<int>(route.size()) == hops[static_cast<std::size_t>(b)]);
        int globals = 0;
        for (const Hop& hop : route) globals += is_global(n.links()[static_cast<std::size_t>(hop.link)]);
        CHECK(globals <= 1);
      }
    }
  }
}

TEST_CASE("average and longest distance are those of all pairs") {
  for (const std::string name : kSmall) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    double sum = 0;
    int longest = 0;
    for (int a = 0; a < n.hosts(); ++a) {
      const std::vector<int> hops = oracle::hops_from(n, a);
      for (int b = 0; b < n.hosts(); ++b) {
        if (a == b) continue;
        sum += hops[static_cast<std::size_t>(b)] - 2;
        longest = std::max(longest, hops[static_cast<std::size_t>(b)] - 2);
      }
    }
    const RouteLengths d = n.distances();
    CHECK(d.diameter == longest);
    if (n.hosts() > 1) CHECK(d.aspl == doctest::Approx(sum / (n.hosts() * (n.hosts() - 1.0))));
  }
}

TEST_CASE("sizes, degrees and distances agree with the literature") {
  const Network fat = Network::parse("fat-tree:8");
  CHECK(fat.hosts() == 128);
  CHECK(fat.routers() == 80);
  CHECK(fat.links().size() == 3 * 128);
  CHECK(fat.distances().diameter == 4);
  const Network aries = Network::parse("dragonfly:3,4;4,3;5,1;2");
  CHECK(aries.hosts() == 120);
  CHECK(aries.routers() == 60);
  const Network fly = Network::parse("dragonfly:4,8,4");
  CHECK(fly.hosts() == 4 * 8 * 33);
  CHECK(fly.distances().diameter == 3);
  const Network cube = Network::parse("torus:2x2x2x2");
  CHECK(cube.distances().diameter == 4);
  CHECK(cube.distances().aspl == doctest::Approx(4 * 8 / 15.0));
  CHECK(Network::parse("torus:8x8").distances().diameter == 8);
  CHECK(Network::parse("mesh:8x8").distances().diameter == 14);
  CHECK(Network::parse("mesh:8x8").distances().aspl == doctest::Approx(2 * 65 / 3.0 * 8 / 65.0).epsilon(1e-9));
  CHECK(Network::parse("cluster:8x8x4").distances().diameter == 4);
  const Network hyper = Network::parse("hyperx:8x8:8");
  CHECK(hyper.hosts() == 512);
  CHECK(hyper.routers() == 64);
  CHECK(hyper.links().size() == 512 + 64 * 14 / 2);
  CHECK(hyper.distances().diameter == 2);
  CHECK(Network::parse("hyperx:4x4x4").bisection() == 64);
}

TEST_CASE("a random network is regular, simple, connected, and depends on the seed") {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const auto& [routers, degree] :
         std::vector<std::pair<int, int>>{{64, 3}, {64, 4}, {50, 6}, {20, 19}, {9, 2}}) {
      const std::string name = fmt::format("random:{}:{}:{}", routers, degree, seed);
      CAPTURE(name);
      const Network n = Network::parse(name);
      std::vector<int> degrees(static_cast<std::size_t>(2 * routers), 0);
      std::set<std::pair<int, int>> once;
      for (const Link& l : n.links()) {
        CHECK(once.insert({l.a, l.b}).second);
        ++degrees[static_cast<std::size_t>(l.a)];
        ++degrees[static_cast<std::size_t>(l.b)];
      }
      for (int v = 0; v < 2 * routers; ++v)
        CHECK(degrees[static_cast<std::size_t>(v)] == (v < routers ? 1 : degree + 1));
      const auto links = [](const Network& of) {
        std::vector<std::pair<int, int>> all;
        for (const Link& l : of.links()) all.emplace_back(l.a, l.b);
        return all;
      };
      CHECK(links(n) == links(Network::parse(name)));
      if (degree < 10 && routers > 9)
        CHECK(links(n) != links(Network::parse(fmt::format("random:{}:{}:{}", routers, degree, seed + 10))));
    }
}

TEST_CASE("the bisection is the smallest cut over all ways to halve the hosts") {
  int known = 0;
  for (const char* name : {"cluster:2x3",
                           "cluster:4x2",
                           "cluster:2x2x2",
                           "cluster:3x2",
                           "fat-tree:2",
                           "fat-tree:2;2,4;1,2;1,2",
                           "fat-tree:3;2,2,2;1,2,2;1,1,1",
                           "fat-tree:3;2,2,2;1,1,3;1,2,1",
                           "torus:8",
                           "torus:2x4",
                           "torus:2x2x2",
                           "torus:3x2",
                           "mesh:8",
                           "mesh:2x4",
                           "mesh:2x2x2",
                           "mesh:3x2",
                           "torus:3x3",
                           "hyperx:6",
                           "hyperx:2x4",
                           "hyperx:2x3",
                           "hyperx:4:2",
                           "hyperx:3x4"}) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    if (!n.bisection()) continue;
    ++known;
    CHECK(*n.bisection() == oracle::bisection(n));
  }
  CHECK(known >= 13);
  CHECK(Network::parse("torus:4x4x4").bisection() == 32);
  CHECK(Network::parse("fat-tree:8").bisection() == 64);
  CHECK_FALSE(Network::parse("random:16:4").bisection());
}

TEST_CASE("the hierarchy follows from the family") {
  CHECK(Network::parse("cluster:8x8x4").hierarchy().to_json() == Hierarchy::parse("8x8x4").to_json());
  const Hierarchy fat = Network::parse("fat-tree:8").hierarchy();
  CHECK(fat.depth() == 3);
  CHECK(fat.kind_at(1) == "pod");
  CHECK(fat.level_between(0, 3) == 0);
  CHECK(fat.level_between(0, 15) == 1);
  CHECK(fat.level_between(0, 16) == 2);
  const Hierarchy aries = Network::parse("dragonfly:3,4;4,3;5,1;2").hierarchy();
  CHECK(aries.depth() == 4);
  CHECK(aries.size() == 120);
  CHECK(Network::parse("dragonfly:4,8,4").hierarchy().depth() == 3);
  CHECK(Network::parse("torus:4x4x4").hierarchy().depth() == 3);
  CHECK(Network::parse("torus:4x1x4").hierarchy().depth() == 2);
  CHECK(Network::parse("hyperx:4x4:2").hierarchy().depth() == 3);
  CHECK(Network::parse("random:16:3").hierarchy().depth() == 1);
}

TEST_CASE("hosts of a nearer domain are never farther away in a tree") {
  for (const char* name : {"cluster:3x2x2", "fat-tree:4", "fat-tree:3;2,3,2;2,1,3;1,2,1"}) {
    const Network n = Network::parse(name);
    const Hierarchy h = n.hierarchy();
    for (int a = 0; a < n.hosts(); ++a)
      for (int b = 0; b < n.hosts(); ++b)
        if (a != b) CHECK(static_cast<int>(n.route(a, b).size()) == 2 * (h.level_between(a, b) + 1));
  }
}

TEST_CASE("up-down routing spreads the targets over the parents") {
  const Network n = Network::parse("fat-tree:4");
  std::set<int> tops;
  for (int b = 4; b < 8; ++b) tops.insert(n.route(0, b)[2].to);
  CHECK(tops.size() == 4);  // each target in another pod through its own top switch
}

TEST_CASE("4,096 hosts take seconds") {
  struct Large {
    const char* name;
    int least, most;  // of the diameter: a router of the random one reaches at most 1 + 6 (1 + 5 + .. + 5^3) in 4 links
  };
  for (const auto& [name, least, most] : {Large{"torus:16x16x16", 24, 24},
                                          {"cluster:16x16x16", 4, 4},
                                          {"fat-tree:2;64,64;1,64;1,1", 2, 2},
                                          {"random:4096:6", 5, 9}}) {
    CAPTURE(name);
    const Timer timer;
    const Network n = Network::parse(name);
    CHECK(n.hosts() == 4096);
    const int diameter = n.distances().diameter;
    CHECK(diameter >= least);
    CHECK(diameter <= most);
    CHECK(n.hierarchy().size() == 4096);
    CHECK(timer.seconds() < 60);  // about a second; more on a loaded machine under a sanitizer
  }
}

TEST_CASE("an invalid name is rejected with the correct forms") {
  for (const char* name : {"",
                           "torus",
                           "torus:",
                           "torus:0",
                           "torus:4x",
                           "ring:4",
                           "mesh:-1",
                           "cluster:2xx2",
                           "fat-tree:3",
                           "fat-tree:0",
                           "fat-tree:2;4;1;1",
                           "fat-tree:2;4,4;1,2",
                           "fat-tree:1;4,4;1,2;1,2",
                           "dragonfly:1,2",
                           "dragonfly:1,2,1,9",
                           "dragonfly:1;2;3;4",
                           "dragonfly:1,1;2,2;3,3",
                           "hyperx:",
                           "hyperx:4x",
                           "hyperx:4x4:0",
                           "hyperx:4:2:1",
                           "hyperx:100000x100000",
                           "random:5:3",
                           "random:4:4",
                           "random:8",
                           "random:8:3:x",
                           "random:1000:1",
                           "torus:100000x100000",
                           "cluster:100000x100000",
                           "dragonfly:100000,100000,100000",
                           "random:2000000000:4"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(Network::parse(name), InputError);
  }
}

TEST_CASE("a network that is not connected is rejected") {
  const auto make = [](int hosts, int routers, std::vector<Link> links) {
    Network::Parts parts;
    parts.hosts = hosts;
    parts.routers = routers;
    parts.links = std::move(links);
    parts.groups = Hierarchy::flat(hosts).root();
    return Network(std::move(parts));
  };
  CHECK(make(2, 1, {{.a = 0, .b = 2}, {.a = 1, .b = 2}}).route(0, 1).size() == 2);
  CHECK_THROWS_AS(make(0, 0, {}), InputError);
  CHECK_THROWS_AS(make(2, 1, {{.a = 0, .b = 2}}), InputError);
  CHECK_THROWS_AS(make(2, 0, {{.a = 0, .b = 1}}), InputError);
  CHECK_THROWS_AS(make(1, 1, {{.a = 0, .b = 5}}), InputError);
}
