// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/algorithms/betweenness/edge_betweenness.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

using ByEnds = std::map<std::pair<Vertex, Vertex>, double>;

// Brandes' accumulation with a sort for a queue, whose summands go to the edges.
ByEnds edge_scores(const Sample& sample, std::vector<samples::Arc> arcs, const std::vector<std::size_t>& sources,
                   PathLength length) {
  const std::vector<Vertex> ids = sample.edges.ids();
  const std::size_t n = ids.size();
  for (auto& a : arcs)
    if (length == PathLength::edges) a.weight = 1;
  ByEnds scores;
  const auto ends_of = [&](const samples::Arc& a) {
    const Vertex u = ids[static_cast<std::size_t>(a.from)], v = ids[static_cast<std::size_t>(a.to)];
    return sample.directed ? std::pair(u, v) : std::pair(std::min(u, v), std::max(u, v));
  };
  for (const auto& a : arcs) scores[ends_of(a)] = 0;
  for (const std::size_t s : sources) {
    std::vector<double> distance(n, std::numeric_limits<double>::infinity()), paths(n, 0), delta(n, 0);
    distance[s] = 0;
    for (bool any = true; any;) {
      any = false;
      for (const auto& a : arcs) {
        const double through = distance[static_cast<std::size_t>(a.from)] + a.weight;
        if (through < distance[static_cast<std::size_t>(a.to)])
          distance[static_cast<std::size_t>(a.to)] = through, any = true;
      }
    }
    std::vector<samples::Arc> tight;
    for (const auto& a : arcs)
      if (std::isfinite(distance[static_cast<std::size_t>(a.to)]) && a.from != a.to &&
          distance[static_cast<std::size_t>(a.from)] + a.weight == distance[static_cast<std::size_t>(a.to)])
        tight.push_back(a);
    std::ranges::stable_sort(tight, {}, [&](const auto& a) { return distance[static_cast<std::size_t>(a.from)]; });
    paths[s] = 1;
    for (const auto& a : tight) paths[static_cast<std::size_t>(a.to)] += paths[static_cast<std::size_t>(a.from)];
    std::ranges::stable_sort(tight, std::greater<>(),
                             [&](const auto& a) { return distance[static_cast<std::size_t>(a.to)]; });
    for (const auto& a : tight) {
      const std::size_t u = static_cast<std::size_t>(a.from), v = static_cast<std::size_t>(a.to);
      const double share = paths[u] / paths[v] * (1 + delta[v]);
      delta[u] += share;
      scores[ends_of(a)] += share;
    }
  }
  return scores;
}

void check_scores(const Sample& sample, const Graph& graph, PathLength length) {
  const std::vector<Vertex> ids = sample.edges.ids();
  std::vector<std::size_t> numbers;
  std::vector<Vertex> sources;
  for (std::size_t v = 0; v < ids.size(); v += 1 + ids.size() / 5) {
    numbers.push_back(v);
    sources.push_back(ids[v]);
  }
  const ByEnds expected = edge_scores(sample, sample.arcs(), numbers, length);
  EdgeBetweenness betweenness(graph, length);
  EdgeBetweennessResult result;
  for (int again = 0; again < 2; ++again) {
    betweenness.run(sources, result);
    World& world = graph.world();
    const auto all = [&]<class T>(const Array<T>& mine) {
      return world.all_gather_varying(std::span<const T>(mine.data(), mine.size()));
    };
    const auto from = all(result.source), to = all(result.target);
    const auto score = all(result.score);
    REQUIRE(score.size() == expected.size());
    std::size_t wrong = 0;
    for (std::size_t e = 0; e < score.size(); ++e) {
      const auto at = expected.find({from[e], to[e]});
      wrong += at == expected.end() || !(std::abs(score[e] - at->second) <= 1e-9 * (1 + at->second));
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("scores of edges equal those of a plain form for any ranks, routes and partitions") {
  samples::for_each_spread(
      cases::Weight::wide,
      [](const Sample& sample, const Graph& graph) {
        check_scores(sample, graph, PathLength::edges);
        check_scores(sample, graph, PathLength::weights);
      },
      0.25);
}

TEST_CASE("copies of an edge are one edge with the sum of their scores") {
  for (const Rank ranks : {1, 3}) {
    Plan plan;
    plan.threads = 1;
    run_ranks(ranks, plan, [](World& world) {
      // Two edges between 1 and 2, and a way round over 3: three shortest paths from 0 to 4 over two edges each.
      const Sample sample{{"copies", {{0, 1}, {0, 1}, {1, 4}, {0, 3}, {3, 4}}, {}, {}}, true, Duplicates::keep};
      const Graph graph = Graph::build(world,
                                       cases::slice(sample.edges, true, cases::Weight::none, false, world.rank(),
                                                    world.size(), cases::Distribution::spread),
                                       {.duplicates = Duplicates::keep});
      check_scores(sample, graph, PathLength::edges);
    });
  }
}

TEST_CASE("more paths than a double counts have finite scores") {
  // A ladder of diamonds: 2^1100 shortest paths from end to end.
  for (const Rank ranks : {1, 2}) {
    Plan plan;
    plan.threads = 1;
    run_ranks(ranks, plan, [](World& world) {
      constexpr Vertex kDiamonds = 1100;
      std::vector<std::pair<Vertex, Vertex>> list;
      for (Vertex d = 0; d < kDiamonds && world.rank() == 0; ++d)
        for (const Vertex side : {1, 2}) {
          list.emplace_back(3 * d, 3 * d + side);
          list.emplace_back(3 * d + side, 3 * d + 3);
        }
      Array<Vertex> source(list.size()), target(list.size());
      for (std::size_t e = 0; e < list.size(); ++e) std::tie(source[e], target[e]) = list[e];
      EdgeList edges;
      edges.source = std::move(source);
      edges.target = std::move(target);
      edges.directed = true;
      const Graph graph = Graph::build(world, std::move(edges));
      EdgeBetweennessResult result;
      const std::vector<Vertex> sources{0};
      EdgeBetweenness(graph).run(sources, result);
      for (std::size_t e = 0; e < result.score.size(); ++e) {
        // Half of the paths to each vertex that comes later, and those that end at a side.
        const Vertex diamond = result.source[e] / 3, later = kDiamonds - 1 - diamond;
        const bool is_first = result.source[e] % 3 == 0;
        CHECK(result.score[e] == doctest::Approx((is_first ? 1 : 0) + 0.5 + 1.5 * static_cast<double>(later)));
      }
    });
  }
}

TEST_CASE("sources and weights that are none are refused on all ranks") {
  run_ranks(2, {}, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "path:5"));
    CHECK_THROWS_AS(EdgeBetweenness(graph, PathLength::weights), InputError);
    EdgeBetweennessResult result;
    const std::vector<Vertex> none, wrong{77};
    EdgeBetweenness betweenness(graph);
    CHECK_THROWS_AS(betweenness.run(wrong, result), InputError);
    betweenness.run(none, result);
    CHECK(world.sum(static_cast<Vertex>(result.score.size())) == 4);
  });
}
