// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <atoll/topology/mapping/export.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/mapping/swap.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <numeric>

using namespace atl;

namespace {

// Places in the domains of a hierarchy, a host for each leaf; costs by level, up to a twentieth too long.
PlaceGraph measured(const Hierarchy& h, const std::vector<double>& by_level, std::uint64_t seed) {
  Random random(seed);
  const auto n = static_cast<std::size_t>(h.size());
  std::vector<double> cost(n * n, 0);
  std::vector<int> hosts;
  for (Rank a = 0; a < h.size(); ++a) {
    hosts.push_back(h.leaf_of(a));
    for (Rank b = 0; b < a; ++b) {
      const double c = by_level[static_cast<std::size_t>(h.level_between(a, b))] * (1 + 0.05 * random.unit());
      cost[static_cast<std::size_t>(a) * n + static_cast<std::size_t>(b)] = c;
      cost[static_cast<std::size_t>(b) * n + static_cast<std::size_t>(a)] = c;
    }
  }
  return measured_places(hosts, cost);
}

}  // namespace

TEST_CASE("on measured places swap is near the best of all mappings") {
  double sum = 0, best = 0;
  for (const char* domains : {"8", "2x4", "3+5", "2x2x2"})
    for (const char* pattern : {"line", "ring", "grid2d"}) {
      CAPTURE(domains);
      CAPTURE(pattern);
      const PlaceGraph places = measured(Hierarchy::parse(domains), {1e-6, 3e-6, 20e-6}, 7);
      const TrafficMatrix traffic = traffic_pattern(pattern, 8);
      std::vector<int> order(8);
      std::iota(order.begin(), order.end(), 0);
      double least = hop_bytes_of(places, traffic, order);
      while (std::ranges::next_permutation(order).found) least = std::min(least, hop_bytes_of(places, traffic, order));
      const double found = hop_bytes_of(places, traffic, swap_mapping(places, traffic, random_order(places, 3)));
      CHECK(found >= least);
      CHECK(found <= 1.1 * least);
      sum += found;
      best += least;
    }
  CHECK(sum <= 1.02 * best);
}

TEST_CASE("ranks that talk share a host again, in a job of many hosts with unequal numbers of ranks") {
  // Hosts of 3 and 5 ranks by turns, in two racks; before, the ranks of a host were spread over all.
  Domain root{.kind = "system", .name = {}, .children = {}, .ranks = {}};
  Rank next = 0;
  for (int rack = 0; rack < 2; ++rack) {
    Domain group{.kind = "switch", .name = {}, .children = {}, .ranks = {}};
    for (int host = 0; host < 8; ++host) {
      Domain node{.kind = "node", .name = {}, .children = {}, .ranks = {}};
      for (int slot = 0; slot < (host % 2 == 0 ? 3 : 5); ++slot) node.ranks.push_back(next++);
      group.children.push_back(std::move(node));
    }
    root.children.push_back(std::move(group));
  }
  const PlaceGraph places = measured(Hierarchy(std::move(root)), {1e-6, 10e-6, 30e-6}, 1);
  const TrafficMatrix traffic = traffic_pattern("line", next);
  const std::vector<int> before = random_order(places, 5), after = swap_mapping(places, traffic, before);
  std::vector<int> across(2, 0);
  for (std::size_t r = 1; r < after.size(); ++r) {
    across[0] += places.host_of(before[r - 1]) != places.host_of(before[r]);
    across[1] += places.host_of(after[r - 1]) != places.host_of(after[r]);
  }
  CHECK(across[0] > 50);
  CHECK(across[1] <= 24);  // 15 are needed
  // The exported file fills each host with as many ranks as it had.
  std::vector<std::string> names;
  for (int h = 0; h < places.hosts(); ++h) names.push_back(fmt::format("n{}", h));
  const std::string ranks = exported("openmpi-rankfile", places, after, names);
  CHECK(ranks.find("n0 slot=2") != std::string::npos);
  CHECK(ranks.find("n0 slot=3") == std::string::npos);
  CHECK(ranks.find("n1 slot=4") != std::string::npos);
}
