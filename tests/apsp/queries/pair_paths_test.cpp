// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/apsp/queries/pair_paths.hpp>
#include <atoll/base/error.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <functional>
#include <map>
#include <set>

#include "apsp/queries/pair_samples.hpp"

using namespace atl;
using namespace pair_samples;

namespace {

// The lengths of all simple paths, ascending.
std::vector<double> lengths_of_all(const Edges& edges, Vertex source, Vertex target, bool by_weight) {
  std::vector<double> lengths;
  std::set<Vertex> passed{source};
  const std::function<void(Vertex, double)> walk = [&](Vertex at, double length) {
    if (at == target) return lengths.push_back(length);
    for (auto e = edges.lower_bound({at, -1}); e != edges.end() && e->first.first == at; ++e) {
      const Vertex next = e->first.second;
      if (!passed.insert(next).second) continue;
      walk(next, length + (by_weight ? e->second : 1));
      passed.erase(next);
    }
  };
  walk(source, 0);
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

void check_pair_paths(const PairSample& sample, const std::vector<PairPaths::Path>& paths, Vertex source, Vertex target,
                      bool by_weight) {
  std::set<std::vector<Vertex>> distinct;
  for (const auto& [length, vertices] : paths) {
    REQUIRE(!vertices.empty());
    CHECK(vertices.front() == source);
    CHECK(vertices.back() == target);
    CHECK(std::set<Vertex>(vertices.begin(), vertices.end()).size() == vertices.size());
    double sum = 0;
    for (std::size_t k = 1; k < vertices.size(); ++k)
      sum += by_weight ? sample.edges.at({vertices[k - 1], vertices[k]}) : 1;
    CHECK(length == sum);
    distinct.insert(vertices);
  }
  CHECK(distinct.size() == paths.size());
}

}  // namespace

TEST_CASE("the paths of a pair are the shortest of all simple paths, the same on any number of ranks") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const std::size_t n = 2 + seed % 6;
    const PairSample sample = random_pair_sample(n, 3 * n, seed % 2 == 0, seed % 3 == 0 ? 0 : 5, seed);
    std::set<Vertex> ids;
    for (const auto& [u, v, w] : sample.list) ids.insert({u, v});
    std::map<std::tuple<Vertex, Vertex, bool>, std::vector<std::vector<Vertex>>> first;
    for (const Rank ranks : {1, 2, 3, 5, 8})
      run_ranks(ranks, on_one_thread(), [&](World& world) {
        const Graph graph = pair_graph(world, sample, seed % 4 < 2 ? Partition::hashed : Partition::blocked);
        for (const bool by_weight : {false, true}) {
          const PairPaths paths(graph, by_weight ? PathLength::weights : PathLength::edges);
          for (const Vertex u : ids)
            for (const Vertex v : ids) {
              const std::vector<double> expected = lengths_of_all(sample.edges, u, v, by_weight);
              for (const std::int64_t k : {1, 3, 1000}) {
                const auto found = paths.k_shortest(u, v, k);
                REQUIRE(found.size() == std::min(expected.size(), static_cast<std::size_t>(k)));
                for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].length == expected[i]);
                check_pair_paths(sample, found, u, v, by_weight);
              }
              const auto shortest = paths.all_shortest(u, v, 1000);
              check_pair_paths(sample, shortest, u, v, by_weight);
              const auto count = expected.empty() ? 0 : std::ranges::count(expected, expected.front());
              CHECK(std::ssize(shortest) == count);
              CHECK(paths.all_shortest(u, v, 1).size() == std::min<std::size_t>(1, expected.size()));
              std::vector<std::vector<Vertex>> vertices;
              for (const auto& path : paths.k_shortest(u, v, 5)) vertices.push_back(path.vertices);
              if (world.rank() == 0 && ranks == 1) first[{u, v, by_weight}] = vertices;
              if (ranks > 1) CHECK(first.at({u, v, by_weight}) == vertices);
            }
        }
      });
  }
}

TEST_CASE("a pair's paths are found one by one, and may outlive what made them") {
  run_ranks(1, on_one_thread(), [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "grid:30x30"));
    auto all = PairPaths(graph, PathLength::edges).between(0, 899);
    std::set<std::vector<Vertex>> distinct;
    for (int k = 0; k < 200; ++k) {
      const auto path = all.next();
      REQUIRE(path);
      CHECK(path->length == 58);  // of the binomial(58, 29) shortest ones
      distinct.insert(path->vertices);
    }
    CHECK(distinct.size() == 200);
    int asked = 0;
    CHECK(!all.next([&] { return ++asked < 1; }));
    CHECK(!all.next());  // it has been ended
  });
}

TEST_CASE("fractions that differ by rounding alone are equal, whole numbers are not") {
  run_ranks(1, on_one_thread(), [](World& world) {
    // 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in float64.
    const PairSample fractions{
        true, {{0, 1, 0.1}, {1, 2, 0.2}, {2, 9, 0.3}, {0, 3, 0.3}, {3, 4, 0.2}, {4, 9, 0.1}}, {}};
    CHECK(PairPaths(pair_graph(world, fractions), PathLength::weights).all_shortest(0, 9, 10).size() == 2);
    const PairSample whole{true, {{0, 1, 0x1p50}, {1, 9, 1}, {0, 2, 0x1p50}, {2, 9, 2}}, {}};
    CHECK(PairPaths(pair_graph(world, whole), PathLength::weights).all_shortest(0, 9, 10).size() == 1);
  });
}

TEST_CASE("negative arcs are taken, a negative cycle is named") {
  run_ranks(2, on_one_thread(), [](World& world) {
    const PairSample sample{true, {{0, 1, 4}, {1, 2, -3}, {0, 2, 2}, {2, 3, 1}}, {}};
    const auto found = PairPaths(pair_graph(world, sample), PathLength::weights).k_shortest(0, 3, 5);
    REQUIRE(found.size() == 2);
    CHECK(found[0].length == 2);
    CHECK(found[1].length == 3);
    const PairSample cycle{true, {{0, 1, 4}, {1, 2, -3}, {2, 1, 2}}, {}};
    const PairPaths paths(pair_graph(world, cycle), PathLength::weights);
    CHECK_THROWS_WITH_AS(paths.between(0, 2), doctest::Contains("the cycle 1 -> 2 -> 1 weighs -1"), InputError);
  });
}

TEST_CASE("what is no vertex, no weight or no number of paths is refused on all ranks") {
  run_ranks(3, on_one_thread(), [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "path:5"));
    CHECK_THROWS_AS(PairPaths(graph, PathLength::weights), InputError);
    const PairPaths paths(graph, PathLength::edges);
    CHECK_THROWS_AS(paths.between(0, 77), InputError);
    CHECK_THROWS_AS(paths.k_shortest(0, 4, 0), InputError);
    CHECK_THROWS_AS(paths.all_shortest(0, 4, 0), InputError);
    CHECK(paths.k_shortest(2, 2, 4).size() == 1);
    CHECK(world.sum(1) == 3);
  });
}
