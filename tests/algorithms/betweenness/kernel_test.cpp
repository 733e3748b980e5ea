// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/betweenness/kernel.hpp>
#include <cmath>

#include "algorithms/local_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// Sum over s, t of sigma_st(v) / sigma_st by definition, with sigma_st(v) = sigma_sv sigma_vt if the lengths add up.
// Sources are owned indices; counts paths level by level over the list of arcs.
struct Paths {
  std::vector<int> depth;
  std::vector<double> count;
};

Paths paths_from(const std::vector<samples::Arc>& arcs, std::size_t n, std::size_t source) {
  Paths p{std::vector<int>(n, -1), std::vector<double>(n, 0)};
  p.depth[source] = 0;
  p.count[source] = 1;
  bool more = true;
  for (int level = 0; more; ++level) {
    more = false;
    for (const auto& a : arcs) {
      const auto u = static_cast<std::size_t>(a.from), v = static_cast<std::size_t>(a.to);
      if (p.depth[u] != level || (p.depth[v] >= 0 && p.depth[v] <= level)) continue;
      p.depth[v] = level + 1;
      p.count[v] += p.count[u];
      more = true;
    }
  }
  return p;
}

std::vector<double> by_definition(const Sample& sample, const std::vector<std::size_t>& sources) {
  const auto arcs = sample.arcs();
  const std::size_t n = sample.vertices();
  std::vector<Paths> from(n);
  for (std::size_t v = 0; v < n; ++v) from[v] = paths_from(arcs, n, v);
  std::vector<double> score(n, 0);
  for (const std::size_t s : sources)
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t t = 0; t < n; ++t) {
        if (v == s || t == s || v == t || from[s].depth[t] < 0 || from[s].depth[v] < 0 || from[v].depth[t] < 0)
          continue;
        if (from[s].depth[v] + from[v].depth[t] == from[s].depth[t])
          score[v] += from[s].count[v] * from[v].count[t] / from[s].count[t];
      }
  return score;
}

Graph build(World& world, const Sample& sample, const GraphOptions& options = {}) {
  return Graph::build(
      world, cases::slice(sample.edges, sample.directed, cases::Weight::none, false, 0, 1, cases::Distribution::spread),
      options);
}

void check_scores(const Sample& sample, const Graph& graph) {
  const auto ids = sample.edges.ids();
  std::vector<std::size_t> sources;
  std::vector<Vertex> source_ids;
  for (std::size_t v = 0; v < ids.size(); v += 1 + ids.size() / 5) {
    sources.push_back(v);
    source_ids.push_back(ids[v]);
  }
  const auto expected = by_definition(sample, sources);
  BetweennessKernel betweenness(graph);
  BetweennessResult result;
  for (int again = 0; again < 2; ++again) {
    betweenness.run(source_ids, result);
    REQUIRE(result.score.size() == expected.size());
    std::size_t wrong = 0;
    for (std::size_t v = 0; v < expected.size(); ++v)
      wrong += std::abs(result.score[v] - expected[v]) > 1e-9 * (1 + expected[v]);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("betweenness on one rank is the sum of its definition over the sources") {
  samples::for_each(cases::Weight::none, {machine_isa()}, [](const Sample& sample, const Graph& graph) {
    if (sample.vertices() < 600) check_scores(sample, graph);
  });
}

TEST_CASE("betweenness of the middle of a star and of a path is known") {
  Plan plan;
  plan.threads = 2;
  const auto world = World::alone(plan);
  BetweennessResult result;
  std::vector<Vertex> all;
  for (Vertex v = 0; v < 400; ++v) all.push_back(v);
  const Graph star = build(*world, {samples::from_text("star:400"), false, Duplicates::merge_min});
  BetweennessKernel(star).run(all, result);
  CHECK(result.score[0] == 399 * 398);
  CHECK(result.score[7] == 0);
  const Graph path = build(*world, {samples::from_text("path:400"), false, Duplicates::merge_min});
  BetweennessKernel(path).run(all, result);
  for (const int v : {0, 1, 200, 399})
    CHECK(result.score[static_cast<std::size_t>(v)] == doctest::Approx(2.0 * v * (399 - v)));
}

TEST_CASE(
    "betweenness of deep graphs equals its definition, with one thread per source and with all threads on one source") {
  // A lattice with gaps, another component, and, if directed, one-way shortcuts.
  cases::Case lattice{"lattice", {}, {}, {}};
  for (Vertex y = 0; y < 8; ++y)
    for (Vertex x = 0; x < 40; ++x) {
      const Vertex v = 10 * (y * 40 + x);
      if (x < 39 && random_at(3, static_cast<std::uint64_t>(v)) % 10 > 0) lattice.edges.emplace_back(v, v + 10);
      if (y < 7 && random_at(4, static_cast<std::uint64_t>(v)) % 10 > 0) lattice.edges.emplace_back(v + 400, v);
    }
  lattice.edges.emplace_back(20, 20);
  lattice.edges.emplace_back(100, 110);
  for (Vertex v = 5001; v < 5010; ++v) lattice.edges.emplace_back(v, v + 1);
  for (const bool directed : {false, true})
    for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep})
      for (const int threads : {1, 2, 3, 24}) {  // of 24 threads, more than the sources share one source
        CAPTURE(directed);
        CAPTURE(threads);
        Plan plan;
        plan.threads = threads;
        const auto world = World::alone(plan);
        const Sample sample{lattice, directed, duplicates};
        check_scores(sample, build(*world, sample, {.duplicates = duplicates}));
      }
}

TEST_CASE(
    "betweenness of a lattice with more paths than a double counts is the same with one thread per source and with all "
    "on one") {
  const Sample sample{samples::from_text(shapes::kSanitized ? "grid:560x555" : "grid:700x650"), false,
                      Duplicates::merge_min};
  std::vector<double> together;
  for (const int threads : {5, 2}) {  // for one source: all threads together, then one thread
    Plan plan;
    plan.threads = threads;
    const auto world = World::alone(plan);
    BetweennessResult result;
    BetweennessKernel(build(*world, sample)).run(std::vector<Vertex>{1234}, result);
    if (together.empty()) together.assign(result.score.begin(), result.score.end());
    std::size_t wrong = 0;
    for (std::size_t v = 0; v < together.size(); ++v)
      wrong += !(std::abs(result.score[v] - together[v]) <= 1e-9 * (1 + together[v]));
    CHECK(wrong == 0);
  }
}

TEST_CASE("betweenness is the same whether hubs are sorted and isolated vertices kept or not") {
  const Sample sample{samples::from_text("kron:7"), true, Duplicates::merge_min};
  for (const bool sorted : {false, true})
    for (const Isolated isolated : {Isolated::drop, Isolated::keep}) {
      Plan plan;
      plan.threads = 2;
      const auto world = World::alone(plan);
      check_scores(sample, build(*world, sample, {.degree_sort = sorted, .isolated = isolated}));
    }
}

TEST_CASE(
    "betweenness rejects unknown sources and a graph over several ranks, counts any number of paths, and works again "
    "afterwards") {
  Plan plan;
  plan.threads = 2;
  const auto world = World::alone(plan);
  BetweennessResult result;
  // 1030 squares in a row, corner to corner: each doubles the paths.
  cases::Case squares{"squares", {}, {}, {}};
  for (Vertex k = 0; k < 1030; ++k)
    for (const Vertex middle : {Vertex{1}, Vertex{2}}) {
      squares.edges.emplace_back(3 * k, 3 * k + middle);
      squares.edges.emplace_back(3 * k + middle, 3 * k + 3);
    }
  const Graph graph = build(*world, {squares, false, Duplicates::merge_min});
  BetweennessKernel betweenness(graph);
  for (const Vertex id : {Vertex{-1}, Vertex{3091}})
    CHECK_THROWS_AS(betweenness.run(std::vector<Vertex>{5, id}, result), InputError);
  CHECK(result.score.empty());
  // From one end: all paths to vertices beyond a corner pass through it, and half of them, and of those to it, through
  // each of the two middles.
  betweenness.run(std::vector<Vertex>{0}, result);
  for (Vertex k = 0; k < 1030; ++k) {
    const auto behind = static_cast<double>(3 * (1030 - k));
    const auto at = static_cast<std::size_t>(3 * k);
    CHECK(result.score[at] == doctest::Approx(k == 0 ? 0 : behind).epsilon(1e-12));
    CHECK(result.score[at + 1] == doctest::Approx((behind - 2) / 2).epsilon(1e-12));
    CHECK(result.score[at + 2] == doctest::Approx((behind - 2) / 2).epsilon(1e-12));
  }
  betweenness.run(std::vector<Vertex>{3 * 515}, result);
  // Half of the paths to either side pass through each of the two middles.
  CHECK(result.score[1] == doctest::Approx(0.5));
  betweenness.run({}, result);
  CHECK(std::all_of(result.score.begin(), result.score.end(), [](double x) { return x == 0; }));
  run_ranks(2, plan, [&](World& two) {
    const Graph spread = Graph::build(
        two, cases::slice(squares, false, cases::Weight::none, false, two.rank(), 2, cases::Distribution::spread));
    CHECK_THROWS_AS(BetweennessKernel{spread}, InputError);
  });
}
