// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/base/error.hpp>
#include <cmath>

#include "algorithms/spread_samples.hpp"
#include "reference/betweenness.hpp"

using namespace atl;
using samples::Sample;

namespace {

// Compares all scores with Brandes' algorithm from a few sources, twice.
void check_weighted_scores(const Sample& sample, const Graph& graph) {
  const std::vector<Vertex> ids = sample.edges.ids();
  std::vector<std::size_t> numbers;
  std::vector<Vertex> sources;
  for (std::size_t v = 0; v < ids.size(); v += 1 + ids.size() / 4) {
    numbers.push_back(v);
    sources.push_back(ids[v]);
  }
  auto arcs = sample.arcs();
  if (graph.out().weights.index() == 1)
    for (samples::Arc& a : arcs) a.weight = static_cast<float>(a.weight);
  const auto expected = reference::betweenness(sample.vertices(), arcs, numbers);
  Betweenness betweenness(graph, PathLength::weights);
  BetweennessResult result;
  for (int again = 0; again < 2; ++again) {
    betweenness.run(sources, result);
    const auto score = samples::by_id(graph, result.score);
    REQUIRE(score.size() == expected.size());
    std::size_t wrong = 0;
    for (std::size_t v = 0; v < score.size(); ++v)
      wrong += !(std::abs(score[v] - expected[v]) <= 1e-9 * (1 + std::abs(expected[v])));
    CHECK(wrong == 0);
  }
}

// A path 0, 1, 2, .. with these weights, distributed over the ranks.
Graph path_of(World& world, const std::vector<double>& weights, bool directed = false) {
  EdgeList edges;
  Array<std::uint32_t> source(world.rank() == 0 ? weights.size() : 0), target(source.size());
  Array<double> weight(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<std::uint32_t>(i);
    target[i] = source[i] + 1;
    weight[i] = weights[i];
  }
  edges.source = std::move(source);
  edges.target = std::move(target);
  edges.weight = std::move(weight);
  edges.directed = directed;
  edges.name = "path";
  return Graph::build(world, std::move(edges));
}

}  // namespace

TEST_CASE("weighted betweenness equals Brandes' algorithm for any ranks, routes and partitions") {
  // Paths of one, two and three edges have equal lengths.
  samples::for_each_spread(cases::Weight::wide, check_weighted_scores, 0.3);
}

TEST_CASE("weighted betweenness with few ties, float sums, several threads and kept multi-edges") {
  cases::Case list = samples::from_text("kron:8");
  for (const double lightest : {0.3, 1e-3})
    for (const cases::Weight weight : {cases::Weight::wide, cases::Weight::narrow})
      for (const bool directed : {false, true})
        for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep})
          for (const Rank ranks : {1, 3}) {
            list.lightest = lightest;
            const Sample sample{list, directed, duplicates};
            Plan plan;
            plan.threads = 4 - ranks;
            run_ranks(ranks, plan, [&](World& world) {
              check_weighted_scores(sample, Graph::build(world,
                                                         cases::slice(list, directed, weight, false, world.rank(),
                                                                      world.size(), cases::Distribution::spread),
                                                         {.duplicates = duplicates}));
            });
          }
}

TEST_CASE(
    "weighted betweenness rejects weights without a defined number of shortest paths, the same on all ranks, and works "
    "again afterwards") {
  Plan plan;
  plan.threads = 1;
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, plan, [&](World& world) {
      const auto said = [&](auto&& f) {
        std::string why;
        try {
          f();
        } catch (const InputError& e) {
          why = e.what();
        }
        return why;
      };
      const auto made = [&](const Graph& graph) { return said([&] { Betweenness(graph, PathLength::weights); }); };
      CHECK(made(Graph::build(world, generate(world, "path:4"))).find("no weights") != std::string::npos);
      CHECK(made(path_of(world, {1, 0, 1})).find("between 1 and 2 weighs 0 (then the number") != std::string::npos);
      CHECK(made(path_of(world, {1, 1, -2})).find("weighs -2") != std::string::npos);
      CHECK(made(path_of(world, {1, std::numeric_limits<double>::infinity()})).find("weighs inf") != std::string::npos);

      const Graph graph = path_of(world, {1e20, 1, 1});
      Betweenness betweenness(graph, PathLength::weights);
      BetweennessResult result;
      const std::string light = said([&] { betweenness.run(std::vector<Vertex>{0}, result); });
      CHECK(light.find("weighs so little that the distance 1e+20 plus it is the same") != std::string::npos);
      CHECK_THROWS_AS(betweenness.run(std::vector<Vertex>{7}, result), InputError);
      betweenness.run(std::vector<Vertex>{3}, result);
      CHECK(samples::by_id(graph, result.score) == std::vector<double>{0, 1, 2, 0});
    });
}
