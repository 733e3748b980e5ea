// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/neighbor_sampling/edge_draws.hpp>
#include <atoll/algorithms/neighbor_sampling/neighbor_sampler.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/draws/neighbor_sample.hpp>
#include <map>
#include <tuple>

#include "algorithms/chi_square.hpp"
#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::ChiSquare;
using samples::Sample;

namespace {

struct Choice {
  SampleDirection direction;
  EdgeWeighting weighting;
  SampleOptions options;
};
const std::vector<Choice> kChoices{
    {SampleDirection::entering, EdgeWeighting::ones, {.fanout = {3, 2}, .seed = 4}},
    {SampleDirection::leaving, EdgeWeighting::ones, {.fanout = {-1}, .seed = 4}},
    {SampleDirection::entering, EdgeWeighting::of_edges, {.fanout = {2, -1, 3}, .seed = 8}},
    {SampleDirection::leaving, EdgeWeighting::of_edges, {.fanout = {4, 4}, .replace = true, .seed = 8}},
    {SampleDirection::entering, EdgeWeighting::ones, {.fanout = {5, 0, 3}, .replace = true, .seed = 1}},
    {SampleDirection::entering, EdgeWeighting::ones, {.fanout = {}, .seed = 1}},
    {SampleDirection::leaving, EdgeWeighting::ones, {.fanout = {100, 2}, .seed = 1}}};

SampleClaim claim_of(const NeighborSample& sample, const Choice& choice) {
  return {.vertices = sample.vertices,
          .source = sample.source,
          .target = sample.target,
          .vertices_by_layer = sample.vertices_by_layer,
          .edges_by_layer = sample.edges_by_layer,
          .fanout = choice.options.fanout,
          .replace = choice.options.replace,
          .entering = choice.direction == SampleDirection::entering,
          .weighting = choice.weighting};
}

auto parts(const NeighborSample& s) {
  return std::tie(s.vertices, s.source, s.target, s.weights, s.vertices_by_layer, s.edges_by_layer);
}

}  // namespace

TEST_CASE("a sample has edges of the graph, no more than its fanout, the same for any ranks and partitions") {
  std::map<std::tuple<std::string, bool, std::size_t>, NeighborSample> first;
  samples::for_each_spread(cases::Weight::wide, [&](const Sample& of, const Graph& graph) {
    World& world = graph.world();
    const std::vector<Vertex> ids = of.edges.ids();
    std::vector<Vertex> seeds;  // some twice
    for (std::size_t k = 0; k < ids.size(); k += 1 + k / 3) seeds.push_back(ids[k]);
    if (!ids.empty()) seeds.push_back(ids[0]);
    for (std::size_t k = 0; k < kChoices.size(); ++k) {
      CAPTURE(k);
      const Choice& choice = kChoices[k];
      NeighborSampler sampler(graph, choice.direction, choice.weighting);
      const NeighborSample sample = sampler.sample(seeds, choice.options);
      const Verdict verdict = verify_neighbor_sample(graph, claim_of(sample, choice));
      CHECK_MESSAGE(verdict.ok, verdict.what);
      if (world.rank() == 0) {
        const auto [at, fresh] = first.try_emplace({of.edges.name, of.directed, k}, sample);
        CHECK(parts(at->second) == parts(sample));
      }
      // Each rank with seeds of its own, or none.
      const std::vector<Vertex> mine(
          seeds.begin(), seeds.begin() + static_cast<std::ptrdiff_t>(world.rank() % 2 == 0 ? seeds.size() / 2 : 0));
      const NeighborSample own = sampler.sample(mine, choice.options);
      const Verdict of_own = verify_neighbor_sample(graph, claim_of(own, choice));
      CHECK_MESSAGE(of_own.ok, of_own.what);
      CHECK(own.vertices_by_layer[0] == static_cast<std::int64_t>(mine.size()));
    }
  });
}

TEST_CASE("parallel edges are drawn each, and have their weights") {
  for (const Rank ranks : shapes::kRanks)
    run_ranks(ranks, {}, [](World& world) {
      // Each rank gives edge k of 0 -> 7 with k as its weight, as loaders number edges.
      constexpr std::size_t kEdges = 12;
      const std::size_t r = static_cast<std::size_t>(world.rank()), p = static_cast<std::size_t>(world.size());
      std::vector<double> numbers;
      for (std::size_t k = r; k < kEdges; k += p) numbers.push_back(static_cast<double>(k));
      EdgeList list;
      list.source = Array<Vertex>(numbers.size(), 0);
      list.target = Array<Vertex>(numbers.size(), 7);
      Array<double> weight(numbers.size());
      std::copy(numbers.begin(), numbers.end(), weight.begin());
      list.weight = std::move(weight);
      list.directed = true;
      list.name = "parallel";
      const Graph graph = Graph::build(world, std::move(list), {.duplicates = Duplicates::keep});
      std::vector<double> chances(kEdges, 0.0);
      for (std::size_t k = 0; k < kEdges; k += 3) chances[k] = 1;
      NeighborSampler alike(graph, SampleDirection::entering, EdgeWeighting::ones),
          by_table(graph, SampleDirection::entering, chances);
      const std::vector<Vertex> seeds{7};
      std::vector<double> all = alike.sample(seeds, {.fanout = {-1}}).weights;
      CHECK(all.size() == kEdges);
      const std::vector<double> five = alike.sample(seeds, {.fanout = {5}, .seed = 3}).weights;
      CHECK(five.size() == 5);
      CHECK(std::adjacent_find(five.begin(), five.end()) == five.end());
      CHECK(by_table.sample(seeds, {.fanout = {9}}).weights == std::vector<double>{0, 3, 6, 9});
      chances.pop_back();
      CHECK_THROWS_AS(NeighborSampler(graph, SampleDirection::entering, chances), InputError);
      chances.assign(kEdges, -1);
      CHECK_THROWS_AS(NeighborSampler(graph, SampleDirection::entering, chances), InputError);
    });
}

TEST_CASE("each set of distinct edges is as likely as its weights say") {
  EdgeDraws draws;
  constexpr int kDraws = shapes::kSanitized ? 4000 : 40000;
  // Two edges of five: alike, and one after the other by weight.
  const std::vector<double> weights{1, 2, 0, 4, 0.5};
  for (const bool weighted : {false, true}) {
    std::map<std::pair<Edge, Edge>, double> sets;
    for (int i = 0; i < kDraws; ++i) {
      Random random(random_at(21, static_cast<std::uint64_t>(i)));
      const auto drawn = weighted ? draws.distinct(weights, 2, random) : draws.distinct(5, 2, random);
      REQUIRE(drawn.size() == 2);
      ++sets[{drawn[0], drawn[1]}];
    }
    std::vector<double> counts, chances;
    for (Edge a = 0; a < 5; ++a)
      for (Edge b = a + 1; b < 5; ++b) {
        const double wa = weights[static_cast<std::size_t>(a)], wb = weights[static_cast<std::size_t>(b)], all = 7.5;
        counts.push_back(sets[{a, b}]);
        chances.push_back(weighted ? wa / all * wb / (all - wa) + wb / all * wa / (all - wb) : 0.1);
      }
    ChiSquare test;
    test.add(counts, chances);
    CAPTURE(weighted);
    CAPTURE(test.statistic());
    CHECK(test.is_likely());
  }
  // Many of many, which is another algorithm: each edge is in half of the sets.
  std::vector<double> times(200, 0.0);
  for (int i = 0; i < kDraws / 10; ++i) {
    Random random(random_at(22, static_cast<std::uint64_t>(i)));
    const auto drawn = draws.distinct(200, 100, random);
    REQUIRE(drawn.size() == 100);
    REQUIRE(std::adjacent_find(drawn.begin(), drawn.end(), std::greater_equal<>()) == drawn.end());
    for (const Edge k : drawn) ++times[static_cast<std::size_t>(k)];
  }
  for (const double count : times) {
    const double mean = kDraws / 20.0;
    CHECK(std::abs(count - mean) < 5 * std::sqrt(mean / 2));
  }
}

TEST_CASE("independent draws have the chances of the weights") {
  EdgeDraws draws;
  const std::vector<double> weights{1, 2, 0, 4, 0.5}, none{0, 0};
  Random random(3);
  for (const bool weighted : {false, true}) {
    const auto drawn = weighted ? draws.independent(weights, 20000, random) : draws.independent(5, 20000, random);
    std::vector<double> counts(5, 0.0), chances(5, 0.2);
    for (const Edge k : drawn) ++counts[static_cast<std::size_t>(k)];
    if (weighted)
      for (std::size_t k = 0; k < 5; ++k) chances[k] = weights[k] / 7.5;
    ChiSquare test;
    test.add(counts, chances);
    CHECK(test.is_likely());
  }
  CHECK(draws.independent(none, 5, random).empty());
  CHECK(draws.distinct(none, 5, random).empty());
  CHECK(draws.distinct(weights, 9, random).size() == 4);
}

TEST_CASE("what cannot be sampled is refused by all ranks") {
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, {}, [](World& world) {
      const Graph graph = Graph::build(world, generate(world, "ring:9"));
      CHECK_THROWS_AS(NeighborSampler(graph, SampleDirection::entering, EdgeWeighting::of_edges), InputError);
      CHECK_THROWS_AS(NeighborSampler(graph, SampleDirection::entering, std::vector<double>{1}), InputError);
      NeighborSampler sampler(graph, SampleDirection::entering, EdgeWeighting::ones);
      const std::vector<Vertex> strange{world.rank() == world.size() - 1 ? 9 : 3}, right{3};
      CHECK_THROWS_WITH_AS(sampler.sample(strange, {.fanout = {2}}), doctest::Contains("vertex 9 does not exist"),
                           InputError);
      CHECK_THROWS_AS(sampler.sample(right, {.fanout = {2, -2}}), InputError);
      const NeighborSample empty = sampler.sample({}, {.fanout = {2, 2}});
      CHECK(empty.vertices.empty());
      CHECK(empty.vertices_by_layer == std::vector<std::int64_t>{0, 0, 0});
    });
}
