// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/algorithms/spectral/spectral.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/centrality/spectral_residuals.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

using Vector = std::vector<double>;
constexpr int kIterations = 12;

SpectralOptions all_iterations() { return {.tolerance = 1e-300, .max_iterations = kIterations}; }

// A^T x, or A x.
Vector product(const std::vector<samples::Arc>& arcs, const Vector& x, CutRows rows, EdgeWeighting weighting) {
  Vector y(x.size(), 0.0);
  for (const auto& a : arcs) {
    const double factor = weighting == EdgeWeighting::of_edges ? a.weight : 1;
    const auto from = static_cast<std::size_t>(a.from), to = static_cast<std::size_t>(a.to);
    rows == CutRows::targets ? y[to] += factor * x[from] : y[from] += factor * x[to];
  }
  return y;
}

double norm(const Vector& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

void scale(Vector& x, double size) {
  for (double& value : x) value = size > 0 ? value / size : 0;
}

double sum(const Vector& x) {
  double all = 0;
  for (const double value : x) all += value;
  return all;
}

void check_near(const Vector& found, const Vector& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) CHECK(found[v] == doctest::Approx(expected[v]).epsilon(1e-9));
}

void for_each_weighting(const std::function<void(EdgeWeighting, const Sample&, const Graph&)>& f) {
  for (const EdgeWeighting weighting : {EdgeWeighting::ones, EdgeWeighting::of_edges})
    samples::for_each_spread(
        weighting == EdgeWeighting::ones ? cases::Weight::none : cases::Weight::wide,
        [&](const Sample& sample, const Graph& graph) { f(weighting, sample, graph); }, 0.25);
}

Graph made(World& world, const char* text) { return Graph::build(world, generate(world, text)); }

}  // namespace

TEST_CASE("eigenvector centrality equals power iteration with a list of edges, for any ranks, routes and cuts") {
  for_each_weighting([](EdgeWeighting weighting, const Sample& sample, const Graph& graph) {
    EigenvectorCentrality search(graph, weighting);
    SpectralResult result;
    const auto arcs = sample.arcs();
    Vector x(sample.vertices(), 1 / std::sqrt(static_cast<double>(sample.vertices())));
    for (int i = 0; i < kIterations; ++i) {
      const Vector sums = product(arcs, x, CutRows::targets, weighting);
      for (std::size_t v = 0; v < x.size(); ++v) x[v] += sums[v];
      scale(x, norm(x));
    }
    for (int turn = 0; turn < 2; ++turn) {
      search.run(all_iterations(), result);
      check_near(samples::by_id(graph, result.score), x);
    }
  });
}

TEST_CASE("Katz centrality equals its series, for any ranks, routes and cuts") {
  for_each_weighting([](EdgeWeighting weighting, const Sample& sample, const Graph& graph) {
    SpectralResult result;
    KatzCentrality(graph, weighting).run(0.01, 2, all_iterations(), result);
    const auto arcs = sample.arcs();
    Vector x(sample.vertices(), 0.0);
    for (int i = 0; i < kIterations; ++i) {
      x = product(arcs, x, CutRows::targets, weighting);
      for (double& value : x) value = 0.01 * value + 2;
    }
    scale(x, norm(x));
    check_near(samples::by_id(graph, result.score), x);
  });
}

TEST_CASE("hubs and authorities equal alternating products, for any ranks, routes and cuts") {
  for_each_weighting([](EdgeWeighting weighting, const Sample& sample, const Graph& graph) {
    HitsResult result;
    Hits(graph, weighting).run(all_iterations(), result);
    const auto arcs = sample.arcs();
    Vector hub(sample.vertices(), 1 / static_cast<double>(sample.vertices())), authority;
    for (int i = 0; i < kIterations; ++i) {
      authority = product(arcs, hub, CutRows::targets, weighting);
      scale(authority, sum(authority));
      hub = product(arcs, authority, CutRows::sources, weighting);
      scale(hub, sum(hub));
    }
    check_near(samples::by_id(graph, result.hub), hub);
    check_near(samples::by_id(graph, result.authority), authority);
  });
}

TEST_CASE("eigenvectors and eigenvalues that are known, and a run that ends by its tolerance") {
  for (const int ranks : {1, 3})
    run_ranks(ranks, Plan{}, [](World& world) {
      const Graph star = made(world, "star:10"), complete = made(world, "complete:9");
      SpectralResult result;
      EigenvectorCentrality of_star(star, EdgeWeighting::ones), of_complete(complete, EdgeWeighting::ones);
      of_star.run({.tolerance = 1e-12, .max_iterations = 1000}, result);
      CHECK(result.converged);
      CHECK(of_star.eigenvalue() == doctest::Approx(3));
      const Vector score = samples::by_id(star, result.score);
      CHECK(score[0] == doctest::Approx(std::sqrt(0.5)));
      CHECK(score[9] == doctest::Approx(std::sqrt(0.5) / 3));
      CHECK(verify_eigenvector(star, std::span(result.score.data(), result.score.size()), {.tolerance = 1e-12}).ok);
      of_complete.run({}, result);
      CHECK(of_complete.eigenvalue() == doctest::Approx(8));
      CHECK(samples::by_id(complete, result.score)[4] == doctest::Approx(1.0 / 3));
      of_star.run({.tolerance = 1e-12, .max_iterations = 2}, result);
      CHECK(!result.converged);
      CHECK(result.iterations == 2);
    });
}

TEST_CASE("spectral centralities refuse weights that are negative or not finite, on all ranks") {
  for (const double wrong : {-1.0, std::numeric_limits<double>::infinity()})
    run_ranks(2, Plan{}, [&](World& world) {
      EdgeList edges;
      const bool first = world.rank() == 0;
      edges.source = Array<std::uint32_t>(first ? 1 : 0, 3);
      edges.target = Array<std::uint32_t>(first ? 1 : 0, 4);
      edges.weight = Array<double>(first ? 1 : 0, wrong);
      const Graph graph = Graph::build(world, std::move(edges));
      CHECK_THROWS_AS(EigenvectorCentrality(graph, EdgeWeighting::of_edges), InputError);
      CHECK_NOTHROW(EigenvectorCentrality(graph, EdgeWeighting::ones));
    });
}

TEST_CASE("Katz centrality refuses an alpha for which it grows without end, and weights that are not there") {
  run_ranks(2, Plan{}, [](World& world) {
    const Graph complete = made(world, "complete:9");
    SpectralResult result;
    KatzCentrality katz(complete, EdgeWeighting::ones);
    CHECK_THROWS_AS(katz.run(0.5, 1, {.tolerance = 1e-6, .max_iterations = 10000}, result), InputError);
    katz.run(0.1, 1, {.tolerance = 1e-9, .max_iterations = 1000}, result);
    CHECK(result.converged);
    CHECK_THROWS_AS(KatzCentrality(complete, EdgeWeighting::of_edges), InputError);
  });
}

TEST_CASE("spectral centralities: the scores of a run pass the check, and changed ones do not") {
  for (const int ranks : {1, 3})
    run_ranks(ranks, Plan{}, [](World& world) {
      const Graph graph = made(world, "kron:8");
      const SpectralTerms terms{.tolerance = 1e-9};
      const SpectralOptions options{.tolerance = 1e-9, .max_iterations = 10000};
      const auto span_of = [](const Array<double>& a) { return std::span<const double>(a.data(), a.size()); };
      const auto changed = [&](const Array<double>& from, double factor) {
        Array<double> other(from.size());
        std::copy(from.begin(), from.end(), other.begin());
        if (world.rank() == 0) other[1] *= factor;
        return other;
      };
      SpectralResult result;
      EigenvectorCentrality(graph, EdgeWeighting::ones).run(options, result);
      CHECK(verify_eigenvector(graph, span_of(result.score), terms).what == "");
      CHECK(verify_eigenvector(graph, span_of(changed(result.score, -1)), terms).what.starts_with("rule 1"));
      const Array<double> zeros(result.score.size(), 0.0);
      CHECK(verify_eigenvector(graph, span_of(zeros), terms).what.starts_with("rule 2"));
      CHECK(verify_hits(graph, span_of(zeros), {}, terms).what.starts_with("rule 2"));
      CHECK(verify_eigenvector(graph, span_of(changed(result.score, 2)), terms).what.starts_with("rule 2"));
      CHECK(verify_eigenvector(graph, span_of(changed(result.score, 1 + 1e-6)), terms).what.starts_with("rule "));
      KatzCentrality(graph, EdgeWeighting::ones).run(0.01, 1, options, result);
      CHECK(verify_katz(graph, span_of(result.score), 0.01, 1, terms).what == "");
      CHECK(verify_katz(graph, span_of(result.score), 0.011, 1, terms).what.starts_with("rule 3"));
      CHECK(verify_katz(graph, span_of(changed(result.score, 1 + 1e-6)), 0.01, 1, terms).what.starts_with("rule "));
      HitsResult hits;
      Hits(graph, EdgeWeighting::ones).run(options, hits);
      CHECK(verify_hits(graph, span_of(hits.hub), span_of(hits.authority), terms).what == "");
      CHECK(verify_hits(graph, {}, span_of(hits.authority), terms).what == "");
      CHECK(
          verify_hits(graph, span_of(hits.hub), span_of(changed(hits.authority, 2)), terms).what.starts_with("rule 2"));
    });
}
