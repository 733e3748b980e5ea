// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/independent_set/independent_set.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/greedy/independent_set.hpp>
#include <numeric>

#include "algorithms/neighbour_sets.hpp"

using namespace atl;
using samples::Sample;

namespace {

// Takes vertices one after another, by falling hash.
std::vector<Vertex> serial(const Sample& sample, std::uint64_t seed) {
  const auto ids = sample.edges.ids();
  const auto sets = samples::neighbour_sets(sample);
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto priority = [&](std::size_t v) { return random_at(seed, static_cast<std::uint64_t>(ids[v])); };
  std::sort(order.begin(), order.end(), [&](std::size_t u, std::size_t v) { return priority(u) > priority(v); });
  std::vector<Vertex> member(ids.size(), 0);
  for (const std::size_t v : order)
    member[v] = std::ranges::none_of(sets[v], [&](std::size_t u) { return member[u] == 1; });
  return member;
}

void check_run(const Sample& sample, const Graph& graph) {
  IndependentSet selection(graph);
  IndependentSetResult result;
  for (const std::uint64_t seed : {1, 2, 1}) {
    selection.run({.seed = seed}, result);
    const auto expected = serial(sample, seed);
    CHECK(samples::by_id(graph, result.member) == expected);
    CHECK(result.size == std::accumulate(expected.begin(), expected.end(), Vertex{0}));
    CHECK(verify_independent_set(graph, {result.member.data(), result.member.size()}).what == "");
  }
}

}  // namespace

TEST_CASE("independent sets are those of a serial algorithm for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    if (sample.directed) {
      CHECK_THROWS_AS(IndependentSet{graph}, InputError);
      return;
    }
    check_run(sample, graph);
  });
}

TEST_CASE("independent sets of larger graphs, by several threads, are those of a serial algorithm") {
  samples::for_each_larger({"kron:12:8", "uniform:12:9", "grid:91x77", "path:5001", "complete:90", "star:4000"},
                           check_run);
}
