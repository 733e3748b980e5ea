// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/network/bisection.hpp>
#include <atoll/topology/network/optimize.hpp>
#include <map>
#include <set>
#include <string>

#include "network_oracle.hpp"

using namespace atl;

namespace {

std::vector<int> degrees(const Network& n) {
  std::vector<int> of(static_cast<std::size_t>(n.routers()), 0);
  for (const Link& l : n.links())
    for (const int v : {l.a, l.b})
      if (v >= n.hosts()) ++of[static_cast<std::size_t>(v - n.hosts())];
  return of;
}

bool is_simple(const Network& n) {
  std::set<std::pair<int, int>> once;
  for (const Link& l : n.links())
    if (l.a == l.b || !once.insert({std::min(l.a, l.b), std::max(l.a, l.b)}).second) return false;
  return true;
}

}  // namespace

TEST_CASE("the best cut found is the bisection where brute force can tell, and never below it") {
  for (const std::string name :
       {"mesh:2x4", "torus:8", "hyperx:6", "random:10:3", "random:12:5:2", "mesh:3x3", "cluster:2x2x2", "hyperx:4:2"}) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    CHECK(bisection_bound(n) == oracle::bisection(n));
  }
  for (const std::string name : {"torus:4x4x4", "torus:8x8", "mesh:8x8", "hyperx:4x4x4", "hyperx:6x4"}) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    CHECK(bisection_bound(n) == n.bisection());
  }
  CHECK(bisection_bound(Network::parse("random:64:4:3")) == bisection_bound(Network::parse("random:64:4:3")));
  CHECK(bisection_bound(Network::parse("random:1:0")) == 0);
}

TEST_CASE("hosts with several routers have no bisection bound") {
  const Network rails({.name = "rails",
                       .hosts = 2,
                       .routers = 2,
                       .links = {{.a = 0, .b = 2}, {.a = 0, .b = 3}, {.a = 1, .b = 2}, {.a = 1, .b = 3}},
                       .groups = {.kind = "system", .name = {}, .children = {}, .ranks = {0, 1}},
                       .path = {},
                       .bisection = std::nullopt});
  CHECK_FALSE(bisection_bound(rails));
  CHECK_THROWS_AS(optimized(rails, Objective::min_aspl, {}), InputError);
}

TEST_CASE("a search keeps degrees, and ends with what it says it improves") {
  for (const std::string name : {"random:64:4", "torus:4x4", "random:30:3:4", "mesh:5x5", "hyperx:3x3:2"}) {
    CAPTURE(name);
    const Network base = Network::parse(name);
    const Network near = optimized(base, Objective::min_aspl, {.patience = 300}),
                  wide = optimized(base, Objective::max_bisection, {.patience = 100});
    for (const Network* n : {&near, &wide}) {
      CHECK(degrees(*n) == degrees(base));
      CHECK(is_simple(*n));
      CHECK(n->links().size() == base.links().size());
    }
    CHECK(near.distances().aspl <= base.distances().aspl);
    CHECK(*bisection_bound(wide, 100) >= *bisection_bound(base, 100));
  }
  CHECK(optimized(Network::parse("torus:4x4"), Objective::min_aspl, {}).distances().aspl <
        Network::parse("torus:4x4").distances().aspl);
  CHECK(*bisection_bound(optimized(Network::parse("torus:8x4"), Objective::max_bisection, {})) > 8);
}

TEST_CASE("the same seed finds the same network, and restarts are never worse") {
  const Network base = Network::parse("random:64:4:9");
  const auto aspl = [&](const TopologySearch& search) {
    return optimized(base, Objective::min_aspl, search).distances().aspl;
  };
  CHECK(aspl({.patience = 50}) == aspl({.patience = 50}));
  CHECK(aspl({.patience = 50, .restarts = 4}) <= aspl({.patience = 50}));
}

TEST_CASE("64 routers: an ASPL of 2.93 at degree 4 and of 2.35 at degree 6") {
  CHECK(optimized(Network::parse("random:64:4"), Objective::min_aspl, {.restarts = 10}).distances().aspl <= 2.93);
  CHECK(optimized(Network::parse("random:64:6"), Objective::min_aspl, {.restarts = 10}).distances().aspl <= 2.35);
}

TEST_CASE("the Moore bound is reached by Moore graphs, and by nothing below") {
  CHECK(moore_bound(10, 3) == doctest::Approx(15 / 9.0));  // Petersen: 3 at distance 1, 6 at 2
  CHECK(moore_bound(64, 4) == doctest::Approx((4 + 24 + 108 + 44) / 63.0));
  CHECK(moore_bound(8, 7) == 1);
  CHECK(moore_bound(9, 2) == doctest::Approx(2.5));
  CHECK(moore_bound(1, 1) == 0);
  for (const std::string name : {"torus:9", "hyperx:8", "random:64:4", "torus:4x4x4"}) {
    CAPTURE(name);
    const Network n = Network::parse(name);
    CHECK(n.distances().aspl >= moore_bound(n.routers(), degrees(n)[0] - 1) - 1e-12);
  }
  CHECK(Network::parse("torus:9").distances().aspl == doctest::Approx(moore_bound(9, 2)));
}

TEST_CASE("networks that cannot be searched are refused") {
  CHECK_THROWS_AS(optimized(Network::parse("fat-tree:4"), Objective::min_aspl, {}),
                  InputError);  // routers without hosts
  CHECK_THROWS_AS(optimized(Network::parse("dragonfly:5,1;2,1;2,1;1"), Objective::min_aspl, {.patience = 0}),
                  InputError);
  CHECK_THROWS_AS(optimized(Network::parse("dragonfly:3,4;4,3;5,1;2"), Objective::min_aspl, {}), InputError);  // cables
}
