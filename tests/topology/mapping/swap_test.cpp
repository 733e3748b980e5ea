// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/mapping/exchange_table.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/mapping/swap.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <numeric>
#include <string>

#include "mapping_samples.hpp"

using namespace atl;

namespace {

TrafficMatrix random_traffic(int ranks, int pairs, std::uint64_t seed) {
  Random random(seed);
  TrafficMatrix traffic{ranks, {}};
  for (int i = 0; i < pairs; ++i) {
    const auto n = static_cast<std::uint64_t>(ranks);
    const int a = static_cast<int>(random.below(n)), b = static_cast<int>(random.below(n));
    if (a != b) traffic.pairs.push_back({a, b, 1 + static_cast<double>(random.below(100))});
  }
  return traffic;
}

// The hop-bytes of the best of all mappings.
double least_hop_bytes(const PlaceGraph& places, const TrafficMatrix& traffic) {
  std::vector<int> order(static_cast<std::size_t>(places.places()));
  std::iota(order.begin(), order.end(), 0);
  double least = hop_bytes_of(places, traffic, order);
  while (std::ranges::next_permutation(order).found) least = std::min(least, hop_bytes_of(places, traffic, order));
  return least;
}

}  // namespace

TEST_CASE("swaps never make a mapping worse, and each rank keeps a place of its own, with and without free places") {
  for (const std::string name : {"random:64:4", "torus:4x4", "fat-tree:4", "dragonfly:2,4,2", "cluster:2x3"})
    for (const int per_host : {1, 3}) {
      CAPTURE(name);
      CAPTURE(per_host);
      const PlaceGraph places(Network::parse(name), per_host);
      for (const int ranks : {places.places(), places.places() / 2}) {
        const TrafficMatrix traffic = random_traffic(ranks, 4 * ranks, 5);
        const std::vector<int> order = random_order(places, 3);
        std::vector<int> start(order.begin(), order.begin() + ranks);
        const double before = hop_bytes_of(places, traffic, start);
        const std::vector<int> better = improve_by_swaps(places, traffic, start);
        CHECK(sample::places_are_distinct(better, ranks, places.places()));
        CHECK(hop_bytes_of(places, traffic, better) < before);
        const std::vector<int> best = swap_mapping(places, traffic, order);
        CHECK(sample::places_are_distinct(best, ranks, places.places()));
        CHECK(hop_bytes_of(places, traffic, best) <= before);
      }
    }
}

TEST_CASE("no exchange of two ranks beside a peer is left that gains") {
  const PlaceGraph places(Network::parse("random:32:4:3"));
  const TrafficMatrix traffic = random_traffic(32, 100, 9);
  std::vector<int> mapping = improve_by_swaps(places, traffic, random_order(places, 2));
  const double cost = hop_bytes_of(places, traffic, mapping);
  for (const RankPair& pair : traffic.pairs)
    for (std::size_t other = 0; other < mapping.size(); ++other) {
      if (places.hops(mapping[other], mapping[static_cast<std::size_t>(pair.to)]) > 1) continue;
      std::swap(mapping[other], mapping[static_cast<std::size_t>(pair.from)]);
      CHECK(hop_bytes_of(places, traffic, mapping) >= cost - 1e-6);
      std::swap(mapping[other], mapping[static_cast<std::size_t>(pair.from)]);
    }
}

TEST_CASE(
    "dense traffic, by the table: distinct places, never worse, and nearly no exchange of any two ranks is left") {
  for (const int ranks : {48, 30}) {
    const PlaceGraph places(Network::parse("random:24:4:3"), 2);
    const TrafficMatrix traffic = random_traffic(ranks, 2000, 9);
    const std::vector<int> order = random_order(places, 2);
    std::vector<int> start(order.begin(), order.begin() + ranks);
    std::vector<int> mapping = improve_by_table(places, Peers(traffic), start);
    CHECK(sample::places_are_distinct(mapping, ranks, places.places()));
    const double cost = hop_bytes_of(places, traffic, mapping);
    CHECK(cost < 0.95 * hop_bytes_of(places, traffic, start));
    for (std::size_t a = 0; a < mapping.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        std::swap(mapping[a], mapping[b]);
        CHECK(hop_bytes_of(places, traffic, mapping) >= (1 - 1e-4) * cost);
        std::swap(mapping[a], mapping[b]);
      }
  }
}

TEST_CASE("small problems: near the best of all mappings") {
  double sum = 0, best = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const PlaceGraph places(Network::parse("mesh:2x4"));
    const TrafficMatrix traffic = random_traffic(8, 14, seed);
    sum += hop_bytes_of(places, traffic, swap_mapping(places, traffic, hamorder_w(places)));
    best += least_hop_bytes(places, traffic);
  }
  CHECK(sum >= best);
  CHECK(sum <= 1.1 * best);
}

TEST_CASE("a ring of ranks finds the ring of hosts, and ranks that talk much share a host") {
  const PlaceGraph ring(Network::parse("torus:8"));
  const TrafficMatrix talk = traffic_pattern("ring", 8);
  CHECK(hop_bytes_of(ring, talk, swap_mapping(ring, talk, random_order(ring, 1))) == 16);
  const PlaceGraph pairs(Network::parse("mesh:4"), 2);
  const TrafficMatrix couples{8, {{0, 7, 5}, {1, 6, 5}, {2, 5, 5}, {3, 4, 5}}};
  CHECK(hop_bytes_of(pairs, couples, swap_mapping(pairs, couples, random_order(pairs, 1))) == 0);
}

TEST_CASE("more ranks than places") {
  const PlaceGraph places(Network::parse("mesh:3"), 2);
  CHECK_THROWS_WITH_AS(swap_mapping(places, traffic_pattern("line", 7), hamorder(places)),
                       "7 ranks onto 6 places (each rank needs one). Have fewer ranks, or more places a host.",
                       InputError);
}
