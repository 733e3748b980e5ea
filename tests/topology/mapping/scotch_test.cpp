// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/mapping/scotch.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <string>
#include <vector>

#include "mapping_samples.hpp"

using namespace atl;

TEST_CASE("Scotch's mapping: a place for each rank, not worse than random") {
  for (const std::string name : {"random:64:4", "torus:4x4", "cluster:2x3", "dragonfly:2,4,2"})
    for (const int per_host : {1, 3}) {
      CAPTURE(name);
      CAPTURE(per_host);
      const Network network = Network::parse(name);
      if (!scotch_refusal(network).empty()) {
        CHECK_THROWS_AS(scotch_mapping(network, PlaceGraph(network), traffic_pattern("line", 4)), InputError);
        continue;
      }
      const PlaceGraph places(network, per_host);
      for (const int ranks : {places.places(), places.places() / 2}) {
        const TrafficMatrix traffic = traffic_pattern("grid2d", ranks);
        const std::vector<int> mapping = scotch_mapping(network, places, traffic);
        const std::vector<int> order = random_order(places, 1);
        CHECK(hop_bytes_of(places, traffic, mapping) <= hop_bytes_of(places, traffic, order));
        CHECK(sample::places_are_distinct(mapping, ranks, places.places()));
      }
    }
}

TEST_CASE("Scotch is given hosts with one router") {
  const Network network = Network::parse("fat-tree:2;4,4;2,2;1,1");
  CHECK(!scotch_refusal(network).empty());
}
