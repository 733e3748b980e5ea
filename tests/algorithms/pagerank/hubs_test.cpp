// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "algorithms/local_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// x after `iterations` of the equation, directly from the edges, in double.
std::vector<double> power_iteration(const Sample& sample, double damping, int iterations, Dangling dangling,
                                    const std::vector<double>& personal) {
  const std::size_t n = sample.vertices();
  const double total = std::accumulate(personal.begin(), personal.end(), 0.0);
  std::vector<double> p(n, 1 / static_cast<double>(n)), degree(n, 0);
  if (!personal.empty())
    for (std::size_t v = 0; v < n; ++v) p[v] = personal[v] / total;
  const auto arcs = sample.arcs();
  for (const auto& a : arcs) ++degree[static_cast<std::size_t>(a.from)];
  std::vector<double> x = p;
  for (int k = 0; k < iterations; ++k) {
    double lost = 0;
    std::vector<double> y(n, 0);
    for (std::size_t v = 0; v < n; ++v)
      if (degree[v] == 0) lost += x[v];
    if (dangling == Dangling::ignore) lost = 0;
    for (const auto& a : arcs) {
      const auto u = static_cast<std::size_t>(a.from);
      y[static_cast<std::size_t>(a.to)] += x[u] / degree[u];
    }
    for (std::size_t v = 0; v < n; ++v) x[v] = (1 - damping) * p[v] + damping * (y[v] + lost * p[v]);
  }
  return x;
}

template <class Real>
double distance(const Array<Real>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t v = 0; v < b.size(); ++v) sum += std::abs(static_cast<double>(a[v]) - b[v]);
  return sum;
}

template <class Real>
void check_against_power_iteration(const Sample& sample, const Graph& graph, double error) {
  PageRank<Real> pagerank(graph);
  PageRankResult<Real> result;  // reused by each run
  std::vector<double> personal(sample.vertices());
  for (std::size_t v = 0; v < personal.size(); ++v) personal[v] = static_cast<double>(v % 3) + (v == 0);
  for (const Dangling dangling : {Dangling::spread, Dangling::ignore})
    for (const auto& p : {std::vector<double>{}, personal}) {
      pagerank.run({.damping = 0.7, .tolerance = {}, .max_iterations = 7, .dangling = dangling, .personalization = p},
                   result);
      CHECK(distance(result.score, power_iteration(sample, 0.7, 7, dangling, p)) < error);
      if (sample.vertices() == 0) continue;
      CHECK(result.iterations == 7);
      CHECK(!result.converged);
      double sum = 0;
      for (const Real x : result.score) sum += static_cast<double>(x);
      if (dangling == Dangling::spread) CHECK(std::abs(sum - 1) < error);
    }
}

}  // namespace

TEST_CASE("pagerank on one rank equals the power iteration of its equation") {
  samples::for_each(cases::Weight::none, samples::every_isa(), [](const Sample& sample, const Graph& graph) {
    check_against_power_iteration<float>(sample, graph, 1e-5);
    check_against_power_iteration<double>(sample, graph, 1e-13);
  });
}

TEST_CASE("pagerank stops at the first iteration whose change is below the tolerance") {
  const Sample sample{samples::from_text("kron:9"), true, Duplicates::merge_min};
  Plan plan;
  plan.threads = 2;
  const auto world = World::alone(plan);
  const Graph graph = Graph::build(
      *world, cases::slice(sample.edges, true, cases::Weight::none, false, 0, 1, cases::Distribution::spread));
  PageRankResult<double> result;
  PageRank<double>(graph).run({.tolerance = 1e-9}, result);
  CHECK(result.converged);
  CHECK(result.change < 1e-9);
  const auto last = power_iteration(sample, 0.85, result.iterations, Dangling::spread, {});
  const auto before = power_iteration(sample, 0.85, result.iterations - 1, Dangling::spread, {});
  const auto earlier = power_iteration(sample, 0.85, result.iterations - 2, Dangling::spread, {});
  double change = 0, old_change = 0;
  for (std::size_t v = 0; v < last.size(); ++v) {
    change += std::abs(last[v] - before[v]);
    old_change += std::abs(before[v] - earlier[v]);
  }
  CHECK(result.change == doctest::Approx(change).epsilon(1e-5));
  CHECK(old_change >= 1e-9);
}

TEST_CASE("pagerank gives the same whether hubs are sorted and isolated vertices kept or not") {
  const Sample sample{samples::from_text("kron:9"), false, Duplicates::merge_min};
  const auto expected = power_iteration(sample, 0.85, 20, Dangling::spread, {});
  for (const bool sorted : {false, true})
    for (const Isolated isolated : {Isolated::drop, Isolated::keep}) {
      Plan plan;
      plan.threads = 2;
      const auto world = World::alone(plan);
      const Graph graph = Graph::build(
          *world, cases::slice(sample.edges, false, cases::Weight::none, false, 0, 1, cases::Distribution::spread),
          {.degree_sort = sorted, .isolated = isolated});
      PageRankResult<double> result;
      PageRank<double>(graph).run({.tolerance = {}, .max_iterations = 20}, result);
      CHECK(distance(result.score, expected) < 1e-13);
    }
}

TEST_CASE("pagerank rejects options out of range") {
  const cases::Case c = samples::from_text("path:5");
  Plan plan;
  plan.threads = 1;
  const auto world = World::alone(plan);
  const Graph graph =
      Graph::build(*world, cases::slice(c, false, cases::Weight::none, false, 0, 1, cases::Distribution::spread));
  PageRank<float> pagerank(graph);
  PageRankResult<float> r;
  CHECK_THROWS_WITH_AS(pagerank.run({.damping = 1}, r),
                       "pagerank: alpha is 1 (a number between 0 and 1; 0.85 is usual). Change it.", InputError);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double damping : {0.0, -0.5, 1.5, nan}) CHECK_THROWS_AS(pagerank.run({.damping = damping}, r), InputError);
  for (const double tolerance : {0.0, -1.0, nan})
    CHECK_THROWS_AS(pagerank.run({.tolerance = tolerance}, r), InputError);
  CHECK_THROWS_AS(pagerank.run({.max_iterations = 0}, r), InputError);
  for (const auto& p : {std::vector<double>{1, 2}, {0, 0, 0, 0, 0}, {1, 1, -1, 1, 1}, {1, nan, 1, 1, 1}})
    CHECK_THROWS_AS(pagerank.run({.personalization = p}, r), InputError);
  CHECK(r.score.empty());
}
