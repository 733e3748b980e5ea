// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/benchmarks/graph500/graph500.hpp>
#include <atoll/benchmarks/graph500/search_keys.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

using namespace atl;

namespace {

Plan one_thread() {
  Plan plan;
  plan.threads = 1;
  return plan;
}

std::vector<Vertex> keys_at(Rank ranks, const char* text, int count, std::uint64_t seed) {
  std::vector<Vertex> keys;
  run_ranks(ranks, one_thread(), [&](World& world) {
    const Graph graph = Graph::build(world, generate(world, text));
    auto mine = search_keys(graph, count, seed);
    if (world.rank() == 0) keys = std::move(mine);
  });
  return keys;
}

}  // namespace

TEST_CASE("search keys are distinct, have a neighbour, and do not depend on the ranks") {
  const auto keys = keys_at(1, "kron:9:2", 64, 3);
  CHECK(keys.size() == 64);
  CHECK(std::set(keys.begin(), keys.end()).size() == 64);
  for (const Rank ranks : {2, 3, 5, 8}) CHECK(keys_at(ranks, "kron:9:2", 64, 3) == keys);
  CHECK(keys_at(1, "kron:9:2", 64, 4) != keys);
}

TEST_CASE("if fewer vertices have a neighbour, all of them are keys") {
  CHECK(keys_at(3, "path:5", 64, 1).size() == 5);
  CHECK(keys_at(1, "path:1", 64, 1).empty());
  run_ranks(2, one_thread(), [](World& world) {  // 0 has only a self-loop, 1 - 2, 3 is isolated
    EdgeList edges;
    const bool all = world.rank() == 1;
    Array<std::uint32_t> source(all ? 2 : 0), target(all ? 2 : 0);
    if (all) {
      source[0] = target[0] = 0;
      source[1] = 1;
      target[1] = 2;
    }
    edges.source = std::move(source);
    edges.target = std::move(target);
    edges.range = IdRange{0, 4};
    const auto keys = search_keys(Graph::build(world, std::move(edges)), 64, 1);
    CHECK(std::set(keys.begin(), keys.end()) == std::set<Vertex>{1, 2});
  });
}

TEST_CASE("the benchmark verifies every search, at any rank count, on the same keys") {
  std::vector<Vertex> keys;
  std::vector<double> edges;
  for (const Rank ranks : {1, 2, 3, 4, 5, 8}) {
    Plan plan;
    plan.threads = ranks == 1 ? 2 : 1;
    plan.shuffle_seed = ranks == 3 ? 9 : 0;
    run_ranks(ranks, plan, [&](World& world) {
      const Graph500Result result = run_graph500(world, {.scale = 8, .edge_factor = 4, .searches = 8, .seed = 5});
      CHECK(result.failure.empty());
      CHECK(result.bfs.seconds.size() == 8);
      if (world.rank() > 0) return;
      if (ranks == 1) {
        keys = result.keys;
        edges = result.bfs.edges;
      }
      CHECK(result.keys == keys);
      CHECK(result.bfs.edges == edges);
      double seconds_an_edge = 0;
      for (std::size_t k = 0; k < keys.size(); ++k) seconds_an_edge += result.bfs.seconds[k] / result.bfs.edges[k];
      CHECK(result.harmonic_mean_teps() == doctest::Approx(static_cast<double>(keys.size()) / seconds_an_edge));
      CHECK(result.block().find("NBFS: 8\n") != std::string::npos);
      const nlohmann::json j = result.to_json();
      CHECK(j.at("searches") == 8);
      CHECK(j.at("bfs_harmonic_mean_TEPS") == j.at("harmonic_mean_teps"));
      CHECK(j.at("sssp_max_TEPS") == 0);
    });
  }
}

TEST_CASE("shortest paths from the same keys are verified and counted alike, with and without kernel 2") {
  std::vector<double> edges;
  for (const auto& [ranks, bfs] : {std::pair<Rank, bool>{1, true}, {1, false}, {3, true}, {4, false}}) {
    Plan plan;
    plan.threads = ranks == 1 ? 2 : 1;
    run_ranks(ranks, plan, [&](World& world) {
      const Graph500Result result =
          run_graph500(world, {.scale = 8, .edge_factor = 4, .searches = 6, .seed = 5, .bfs = bfs, .sssp = true});
      CHECK(result.failure.empty());
      CHECK(result.sssp.seconds.size() == 6);
      CHECK(result.bfs.seconds.size() == (bfs ? 6 : 0));
      if (bfs) CHECK(result.sssp.edges == result.bfs.edges);
      if (world.rank() > 0) return;
      if (edges.empty()) edges = result.sssp.edges;
      CHECK(result.sssp.edges == edges);
      const nlohmann::json j = result.to_json();
      CHECK(j.at("searches") == 6);
      CHECK(j.at("sssp_harmonic_mean_TEPS") == j.at("sssp_harmonic_mean_teps"));
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < edges.size(); ++k) least = std::min(least, edges[k] / result.sssp.seconds[k]);
      CHECK(j.at("sssp_min_TEPS").get<double>() == doctest::Approx(least));
    });
  }
  Plan plan;
  CHECK_THROWS_AS(run_graph500(*World::alone(plan), {.bfs = false}), InputError);
}

TEST_CASE("an invalid run prints no results") {
  Graph500Result result;
  result.failure = "rule 3: ..";
  CHECK(result.block().find("No results printed for invalid run.") != std::string::npos);
  CHECK_FALSE(result.to_json().contains("harmonic_mean_teps"));
}
