// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <atoll/base/error.hpp>
#include <cmath>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// The formula of pagerank.hpp, edge by edge.
std::vector<double> by_formula(const Sample& sample, const PageRankOptions& options, std::vector<double> p) {
  const std::size_t n = sample.vertices();
  const auto arcs = sample.arcs();
  double total = 0;
  for (const double share : p) total += share;
  for (double& share : p) share /= total;
  std::vector<double> x = p;
  std::vector<double> degree(n, 0);
  for (const auto& a : arcs) ++degree[static_cast<std::size_t>(a.from)];
  for (int i = 0; i < options.max_iterations; ++i) {
    std::vector<double> sum(n, 0);
    double lost = 0;
    for (std::size_t v = 0; v < n; ++v)
      if (degree[v] == 0 && options.dangling == Dangling::spread) lost += x[v];
    for (const auto& a : arcs)
      sum[static_cast<std::size_t>(a.to)] +=
          x[static_cast<std::size_t>(a.from)] / degree[static_cast<std::size_t>(a.from)];
    for (std::size_t v = 0; v < n; ++v) x[v] = (1 - options.damping) * p[v] + options.damping * (sum[v] + lost * p[v]);
  }
  return x;
}

template <class Real>
void check(const Sample& sample, const Graph& graph, bool personal) {
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
    const auto expected = by_formula(sample, options, all);
    if (personal) options.personalisation = mine;
    PageRank<Real> pagerank(graph);
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
      CHECK_THROWS_AS(pagerank.run({.personalisation = none}, result), InputError);
      if (ranks > 1) {
        if (world.rank() == 1) none.assign(none.size(), -1);
        CHECK_THROWS_AS(pagerank.run({.personalisation = none}, result), InputError);
      }
      CHECK(world.sum(1) == ranks);
    });
  }
  CHECK(iterations[0] == iterations[1]);
}
