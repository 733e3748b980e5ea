// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/allocation.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <string>

#include "mapping_samples.hpp"

using namespace atl;
using Jobs = std::vector<std::vector<int>>;

TEST_CASE("jobs get the next free places of the order") {
  const std::vector<int> order{4, 2, 0, 1, 3};
  CHECK(allocate_by_order(order, {}, std::array{2, 3}) == Jobs{{4, 2}, {0, 1, 3}});
  CHECK(allocate_by_order(order, std::array{2, 1}, std::array{1, 2}) == Jobs{{4}, {0, 3}});
  CHECK(allocate_by_order(order, {}, {}).empty());
}

// Figure 1: two jobs of 4 and 5 ranks on a random topology. The text prints no links, so these are ours; on some of
// them a random order is as good.
TEST_CASE("hamorder lowers the ASPL of both jobs' embeddings, over 20 topologies (figure 1)") {
  double before[2] = {0, 0}, after[2] = {0, 0};
  for (int seed = 1; seed <= 20; ++seed) {
    const PlaceGraph places(Network::parse("random:9:4:" + std::to_string(seed)));
    const std::array sizes{4, 5};
    const Jobs at_random = allocate_by_order(random_order(places, 1), {}, sizes),
               by_hamorder = allocate_by_order(hamorder_w(places), {}, sizes);
    for (std::size_t j = 0; j < 2; ++j) {
      before[j] += embedding_aspl(places, at_random[j]);
      after[j] += embedding_aspl(places, by_hamorder[j]);
    }
  }
  CHECK(after[0] < 0.97 * before[0]);
  CHECK(after[1] < 0.97 * before[1]);
}

// Figure 2: nodes 0 to 2 are occupied, and a job of two ranks gets the nodes 3 and 4. An order by communities leaves
// off one at the far end of another, 4 hops away; a Hamiltonian path goes to a neighbour. The text prints no links:
// here the nodes are two squares on a path, 0 1 2 3 and 4 5 6 7, joined at 3 and 4.
TEST_CASE("a job of two on what is left is one hop wide by hamorder, and 4 by an order of communities (figure 2)") {
  const PlaceGraph places(sample::direct(8, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 4}}));
  const std::array two{2};
  const std::vector<int> communities{3, 2, 0, 1, 5, 6, 4, 7};
  const auto occupied = [](const std::vector<int>& order) { return std::vector(order.begin(), order.begin() + 3); };
  CHECK(embedding_aspl(places, allocate_by_order(communities, occupied(communities), two)[0]) == doctest::Approx(4));
  const std::vector<int> path = hamorder_w(places);
  CHECK(embedding_aspl(places, allocate_by_order(path, occupied(path), two)[0]) == doctest::Approx(1));
}

TEST_CASE("what cannot be placed is refused") {
  const std::vector<int> order{0, 1, 2};
  CHECK_THROWS_WITH_AS(allocate_by_order(order, std::array{1}, std::array{2, 1}),
                       "jobs of 3 ranks together onto 2 free places (each rank needs one). Have fewer ranks.",
                       InputError);
  CHECK_THROWS_WITH_AS(allocate_by_order(order, std::array{3}, std::array{1}),
                       "place 3 is occupied (places are 0 to 2). Correct it.", InputError);
  CHECK_THROWS_WITH_AS(allocate_by_order(order, {}, std::array{0}), "a job of 0 ranks (at least one). Correct it.",
                       InputError);
}
