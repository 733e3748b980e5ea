// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <limits>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// The formula of pagerank.hpp, edge by edge.
std::vector<double> by_formula(const Sample& sample, Transition transition, const PageRankOptions& options,
                               std::vector<double> p) {
  const std::size_t n = sample.vertices();
  const auto arcs = sample.arcs();
  double total = 0;
  for (const double share : p) total += share;
  for (double& share : p) share /= total;
  std::vector<double> x = p;
  const auto weight_of = [&](const samples::Arc& a) { return transition == Transition::uniform ? 1 : a.weight; };
  std::vector<double> leaving(n, 0);
  for (const auto& a : arcs) leaving[static_cast<std::size_t>(a.from)] += weight_of(a);
  for (int i = 0; i < options.max_iterations; ++i) {
    std::vector<double> sum(n, 0);
    double lost = 0;
    for (std::size_t v = 0; v < n; ++v)
      if (leaving[v] == 0 && options.dangling == Dangling::spread) lost += x[v];
    for (const auto& a : arcs)
      if (weight_of(a) > 0)
        sum[static_cast<std::size_t>(a.to)] +=
            x[static_cast<std::size_t>(a.from)] * weight_of(a) / leaving[static_cast<std::size_t>(a.from)];
    for (std::size_t v = 0; v < n; ++v) x[v] = (1 - options.damping) * p[v] + options.damping * (sum[v] + lost * p[v]);
  }
  return x;
}

template <class Real>
void check(const Sample& sample, const Graph& graph, bool personal, Transition transition = Transition::uniform) {
  const std::size_t n = sample.vertices();
  if (n == 0) return;
  const auto share_of = [&](Vertex id) { return personal ? static_cast<double>((id % 1000 * 7 + 3) % 5) : 1.0; };
  std::vector<double> all, mine;
  double total = 0;
  for (const Vertex id : sample.edges.ids()) total += (all.emplace_back(share_of(id)));
  if (total == 0) return;
  for (Vertex k = 0; k < graph.owned(); ++k) mine.push_back(share_of(graph.id_of(graph.local_of(k))));
  for (const Dangling dangling : {Dangling::spread, Dangling::ignore}) {
    PageRankOptions options{.tolerance = {}, .max_iterations = 15, .dangling = dangling};
    const auto expected = by_formula(sample, transition, options, all);
    if (personal) options.personalization = mine;
    PageRank<Real> pagerank(graph, transition);
    PageRankResult<Real> result;
    for (int again = 0; again < 2; ++again) {
      pagerank.run(options, result);
      const auto got = samples::by_id(graph, result.score);
      REQUIRE(got.size() == n);
      double worst = 0;
      for (std::size_t v = 0; v < n; ++v) worst = std::max(worst, std::abs(static_cast<double>(got[v]) - expected[v]));
      CHECK(worst < (sizeof(Real) == 4 ? 2e-6 : 1e-12));
      CHECK(result.iterations == 15);
      CHECK(!result.converged);
    }
  }
}

}  // namespace

TEST_CASE("pagerank satisfies its formula for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    check<double>(sample, graph, false);
    check<float>(sample, graph, true);
  });
}

TEST_CASE("pagerank by weight satisfies its formula for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::wide, [](const Sample& sample, const Graph& graph) {
    check<double>(sample, graph, true, Transition::by_weight);
    check<float>(sample, graph, false, Transition::by_weight);
  });
}

TEST_CASE("pagerank by weight does not depend on the unit of the weights, and refuses what is none") {
  const auto graph_of = [](World& world, const std::vector<double>& weights) {
    constexpr Vertex kFrom[] = {0, 0, 1, 2}, kTo[] = {1, 2, 2, 0};
    const std::size_t m = world.rank() == 0 ? weights.size() : 0;
    Array<Vertex> source(m), target(m);
    Array<double> weight(m);
    std::copy_n(kFrom, m, source.begin());
    std::copy_n(kTo, m, target.begin());
    std::copy_n(weights.begin(), m, weight.begin());
    EdgeList edges;
    edges.source = std::move(source);
    edges.target = std::move(target);
    edges.weight = std::move(weight);
    edges.directed = true;
    edges.range = IdRange{0, 3};
    return Graph::build(world, std::move(edges));
  };
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [&](World& world) {
    std::vector<std::vector<float>> scores;
    for (const double unit : {1.0, 1e-200, 1e300}) {
      const Graph graph = graph_of(world, {3 * unit, 1 * unit, 2 * unit, 0.5 * unit});
      PageRankResult<float> result;
      PageRank<float>(graph, Transition::by_weight).run({.tolerance = {}, .max_iterations = 30}, result);
      scores.push_back(samples::by_id(graph, result.score));
    }
    for (std::size_t v = 0; v < 3; ++v) {
      CHECK(scores[1][v] == doctest::Approx(scores[0][v]).epsilon(1e-6));
      CHECK(scores[2][v] == doctest::Approx(scores[0][v]).epsilon(1e-6));
    }
    for (const double wrong : {-1.0, std::numeric_limits<double>::infinity(), std::nan(""), 1.7e308}) {
      const Graph graph = graph_of(world, {wrong, wrong, 1, 1});
      CHECK_THROWS_AS(PageRank<double>(graph, Transition::by_weight), InputError);
    }
    const Graph without = Graph::build(world, generate(world, "path:5"));
    CHECK_THROWS_AS(PageRank<double>(without, Transition::by_weight), InputError);
    CHECK(world.sum(1) == 3);
  });
}

TEST_CASE("pagerank gives the same whether the values that a rank gathers fit its cache or not") {
  std::vector<double> on_one;
  for (const Rank ranks : {1, 2, 8}) {  // of 200,000 values of 8 bytes a rank has all, half, and an eighth
    Plan plan;
    plan.threads = ranks == 2 ? 2 : 1;
    run_ranks(ranks, plan, [&](World& world) {
      const Graph graph = Graph::build(world, generate(world, "grid:400x500"));
      PageRank<double> pagerank(graph);
      PageRankResult<double> result;
      pagerank.run({.tolerance = {}, .max_iterations = 5}, result);
      const std::vector<double> score = samples::by_id(graph, result.score);
      if (world.rank() != 0) return;
      REQUIRE(score.size() == 200'000);
      if (ranks == 1) on_one = score;
      double worst = 0;
      for (std::size_t v = 0; v < score.size(); ++v) worst = std::max(worst, std::abs(score[v] - on_one[v]));
      CHECK(worst < 1e-15);
    });
  }
}

TEST_CASE("pagerank over ranks converges like on one, and rejects invalid options the same on all ranks") {
  std::vector<int> iterations;
  for (const Rank ranks : {1, 3}) {
    Plan plan;
    plan.threads = 1;
    run_ranks(ranks, plan, [&](World& world) {
      const Graph graph = Graph::build(world, generate(world, "kron:9"));
      PageRank<double> pagerank(graph);
      PageRankResult<double> result;
      pagerank.run({.tolerance = 1e-9, .max_iterations = 200}, result);
      CHECK(result.converged);
      CHECK(result.change < 1e-9);
      if (world.rank() == 0) iterations.push_back(result.iterations);
      CHECK_THROWS_AS(pagerank.run({.damping = 1.5}, result), InputError);
      CHECK_THROWS_AS(pagerank.run({.tolerance = 0}, result), InputError);
      std::vector<double> none(static_cast<std::size_t>(graph.owned()), 0);
      CHECK_THROWS_AS(pagerank.run({.personalization = none}, result), InputError);
      if (ranks > 1) {
        if (world.rank() == 1) none.assign(none.size(), -1);
        CHECK_THROWS_AS(pagerank.run({.personalization = none}, result), InputError);
      }
      CHECK(world.sum(1) == ranks);
    });
  }
  CHECK(iterations[0] == iterations[1]);
}
