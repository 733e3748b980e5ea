// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/verify/betweenness/paths.hpp>
#include <limits>
#include <string>
#include <vector>

#include "reference/betweenness.hpp"
#include "verify/mutations.hpp"

using namespace mutations;

namespace {

using Scores = std::vector<double>;

// By definition: sigma_sv sigma_vt / sigma_st if the depths add up.
Scores betweenness(const Sample& s, const std::vector<std::size_t>& sources) {
  const std::size_t n = s.vertices();
  const auto out = lists(s);
  std::vector<std::vector<int>> depth(n, std::vector<int>(n, -1));
  std::vector<Scores> paths(n, Scores(n, 0.0));
  for (std::size_t r = 0; r < n; ++r) {
    std::vector<std::size_t> queue{r};
    depth[r][r] = 0;
    paths[r][r] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::size_t u : out[queue[i]]) {
        if (depth[r][u] < 0) depth[r][u] = depth[r][queue[i]] + 1, queue.push_back(u);
        if (depth[r][u] == depth[r][queue[i]] + 1) paths[r][u] += paths[r][queue[i]];
      }
  }
  Scores score(n, 0.0);
  for (const std::size_t r : sources)
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t t = 0; t < n; ++t)
        if (v != r && t != v && t != r && depth[r][v] >= 0 && depth[v][t] >= 0 &&
            depth[r][v] + depth[v][t] == depth[r][t])
          score[v] += paths[r][v] * paths[v][t] / paths[r][t];
  return score;
}

}  // namespace

TEST_CASE("betweenness: correct scores pass, and any change of one is found, by its vertex or by the sum") {
  for_each_sample([](const Sample& s) {
    const auto ids = s.edges.ids();
    const std::vector<std::size_t> at{0, ids.size() / 2, ids.size() - 1};
    std::vector<Vertex> sources;
    for (const std::size_t k : at) sources.push_back(ids[k]);
    const auto answers = mutants(betweenness(s, at), 8, [](double x, std::size_t, std::size_t i) {
      return i == 0 ? std::numeric_limits<double>::quiet_NaN() : i % 2 == 0 ? x + 1e-3 : -1;
    });
    for (const std::size_t recomputed : {std::size_t{0}, std::size_t{16}})
      check_only_first_passes(said_of(s, answers, [&](const Graph& g, std::span<const double> v) {
        return verify_betweenness(g, sources, v, {.recomputed_sources = recomputed});
      }));
  });
  // 1 reaches 4, 5, 6 through 3, and 5, 6 through 4.
  const std::vector<Vertex> one{1};
  const auto of = [&](const Scores& x, std::size_t recomputed) {
    return said_of<double>(two_triangles(), {x}, [&](const Graph& g, std::span<const double> v) {
      return verify_betweenness(g, one, v, {.recomputed_sources = recomputed});
    })[0];
  };
  CHECK(of({0, 0, 3, 2, 0, 0, 0, 0}, 9) == "");
  CHECK(of({0, 0, 2, 3, 0, 0, 0, 0}, 9) ==
        "rule 3: vertex 3 has the score 2 (the shortest paths from the 1 sources give 3)");
  CHECK(of({0, 0, 2, 3, 0, 0, 0, 0}, 0) == "");  // not visible in the sum
  CHECK(of({0, 0, 3, 3, 0, 0, 0, 0}, 0) ==
        "rule 2: the scores sum to 6 (the vertices inside the shortest paths from the 1 sources are 5)");
  CHECK(of({0, 0, 3, 2, 0, 0, 1, 0}, 0) == "rule 1: vertex 8 has the score 1 (0: no path can pass it)");
  // With several sources some are recomputed: a value moved between vertices is detected at the first of them.
  const std::vector<Vertex> four{1, 1, 1, 1};
  const auto in_part = [&](const Scores& x) {
    return said_of<double>(two_triangles(), {x}, [&](const Graph& g, std::span<const double> v) {
      return verify_betweenness(g, four, v, {.recomputed_sources = 2});
    })[0];
  };
  CHECK(in_part({0, 0, 12, 8, 0, 0, 0, 0}) == "");
  CHECK(in_part({0, 0, 4, 16, 0, 0, 0, 0}) ==
        "rule 3: vertex 3 has the score 4 (the shortest paths from 2 of the 4 sources alone give 6)");
}

TEST_CASE("betweenness by weight: correct scores pass, and any change of one is found; weights of 0 are rejected") {
  for_each_sample([](Sample s) {
    s.edges.lightest = 0.3;
    const auto ids = s.edges.ids();
    const std::vector<std::size_t> at{0, ids.size() / 2};
    const std::vector<Vertex> sources{ids[at[0]], ids[at[1]]};
    const Scores right = reference::betweenness(s.vertices(), s.arcs(), at);
    const auto answers = mutants(right, 5, [](double x, std::size_t, std::size_t i) { return i % 2 ? -1 : x + 1e-3; });
    for (const std::size_t recomputed : {std::size_t{0}, std::size_t{16}})
      check_only_first_passes(said(s, cases::Weight::wide, answers, [&](const Graph& g, const Scores& answer) {
        const Array<double> values = by_owned_index(g, ids, answer);
        return verify_betweenness(g, sources, span(values), {.recomputed_sources = recomputed, .by_weight = true});
      }));
  });
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    const cases::Case path = samples::from_text("path:60");  // some of its edges weigh 0
    for (const cases::Weight weight : {cases::Weight::none, cases::Weight::wide}) {
      const Graph graph = Graph::build(
          world, cases::slice(path, false, weight, false, world.rank(), world.size(), cases::Distribution::spread));
      const Array<double> scores(static_cast<std::size_t>(graph.owned()), 0.0);
      CHECK_THROWS_AS(verify_betweenness(graph, std::vector<Vertex>{1}, span(scores), {.by_weight = true}), InputError);
    }
  });
}

TEST_CASE("betweenness from a source that the graph does not have is rejected on every rank") {
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "kron:5"));
    const Array<double> scores(static_cast<std::size_t>(graph.owned()), 0.0);
    CHECK_THROWS_AS(verify_betweenness(graph, std::vector<Vertex>{1 << 20}, span(scores)), InputError);
    CHECK(world.sum(1) == 3);  // the ranks still meet
  });
}
