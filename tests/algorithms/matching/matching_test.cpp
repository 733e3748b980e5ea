// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/matching/matching.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/greedy/matching.hpp>
#include <tuple>

#include "algorithms/neighbour_sets.hpp"

using namespace atl;
using samples::Sample;

namespace {

struct Expected {
  std::vector<Vertex> mate;
  Vertex edges = 0;
  double weight = 0;
};

// Takes edges one after another: the heaviest first, equal ones by falling hash.
Expected serial(const Sample& sample, std::uint64_t seed, EdgeWeighting weighting) {
  const auto ids = sample.edges.ids();
  const auto word = [&](Vertex v) {
    return random_at(seed, static_cast<std::uint64_t>(ids[static_cast<std::size_t>(v)]));
  };
  std::vector<std::tuple<double, std::uint64_t, Vertex, Vertex>> order;
  for (const samples::Arc& a : sample.arcs())
    if (a.from < a.to)
      order.emplace_back(weighting == EdgeWeighting::ones ? 1 : a.weight, mix64(word(a.from) + word(a.to)), a.from,
                         a.to);
  std::sort(order.rbegin(), order.rend());
  Expected expected{std::vector<Vertex>(ids.size(), kNoVertex)};
  for (const auto& [weight, hash, u, v] : order) {
    Vertex &of_u = expected.mate[static_cast<std::size_t>(u)], &of_v = expected.mate[static_cast<std::size_t>(v)];
    if (of_u != kNoVertex || of_v != kNoVertex) continue;
    of_u = ids[static_cast<std::size_t>(v)];
    of_v = ids[static_cast<std::size_t>(u)];
    ++expected.edges;
    expected.weight += weight;
  }
  return expected;
}

void check_run(const Sample& sample, const Graph& graph, EdgeWeighting weighting) {
  Matching matching(graph, weighting);
  MatchingResult result;
  for (const std::uint64_t seed : {1, 2, 1}) {
    matching.run({.seed = seed}, result);
    const Expected expected = serial(sample, seed, weighting);
    CHECK(samples::by_id(graph, result.mate) == expected.mate);
    CHECK(result.edges == expected.edges);
    CHECK(result.total_weight == doctest::Approx(expected.weight));
    CHECK(verify_matching(graph, {result.mate.data(), result.mate.size()}, weighting).what == "");
  }
}

}  // namespace

TEST_CASE("matchings are those of a serial algorithm for any ranks, routes and partitions") {
  for (const cases::Weight weight : {cases::Weight::none, cases::Weight::wide})
    samples::for_each_spread(weight, [&](const Sample& sample, const Graph& graph) {
      const EdgeWeighting weighting = graph.weighted() ? EdgeWeighting::of_edges : EdgeWeighting::ones;
      if (sample.directed) {
        CHECK_THROWS_AS(Matching(graph, weighting), InputError);
        return;
      }
      if (graph.merged_to_least()) {  // of parallel edges the heaviest count
        CHECK_THROWS_AS(Matching(graph, EdgeWeighting::of_edges), InputError);
        return;
      }
      check_run(sample, graph, weighting);
    });
}

TEST_CASE("matchings of larger graphs, by several threads, are those of a serial algorithm") {
  samples::for_each_larger(
      {"kron:12:8", "uniform:12:9", "grid:91x77", "path:5001", "complete:90", "star:4000"},
      [](const Sample& sample, const Graph& graph) { check_run(sample, graph, EdgeWeighting::ones); });
}

TEST_CASE("a matching by weights needs weights") {
  run_ranks(2, {}, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "ring:9"));
    CHECK_THROWS_AS(Matching(graph, EdgeWeighting::of_edges), InputError);
    CHECK(world.sum(1) == 2);
  });
}
