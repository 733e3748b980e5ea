// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/point_to_point/path_search.hpp>
#include <atoll/algorithms/point_to_point/plane_bounds.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();

// Dijkstra's algorithm; the lengths are added up in type Sum.
template <class Sum>
std::vector<double> distances_from(std::size_t n, const std::vector<samples::Arc>& arcs, std::size_t source,
                                   bool by_weight) {
  std::vector<std::vector<std::pair<std::size_t, Sum>>> next(n);
  for (const auto& a : arcs)
    next[static_cast<std::size_t>(a.from)].emplace_back(static_cast<std::size_t>(a.to),
                                                        by_weight ? static_cast<Sum>(a.weight) : Sum{1});
  std::vector<std::optional<Sum>> distance(n);
  std::priority_queue<std::pair<Sum, std::size_t>, std::vector<std::pair<Sum, std::size_t>>, std::greater<>> queue;
  queue.emplace(Sum{0}, source);
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (distance[v]) continue;
    distance[v] = d;
    for (const auto& [u, w] : next[v]) queue.emplace(d + w, u);
  }
  std::vector<double> all;
  for (const auto& d : distance) all.push_back(d ? static_cast<double>(*d) : kUnreached);
  return all;
}

double place_of(Vertex id, std::uint64_t axis) {
  return static_cast<double>(random_at(20 + axis, static_cast<std::uint64_t>(id)) % 1000);
}

PlaneCoordinates places(const Graph& graph) {
  const auto owned = static_cast<std::size_t>(graph.owned());
  PlaneCoordinates coordinates{Array<double>(owned), Array<double>(owned)};
  for (std::size_t k = 0; k < owned; ++k) {
    const Vertex id = graph.id_of(graph.local_of(static_cast<Vertex>(k)));
    coordinates.x[k] = place_of(id, 0);
    coordinates.y[k] = place_of(id, 1);
  }
  return coordinates;
}

void check(const Sample& sample, const Graph& graph, PathLength length, const PlaneCoordinates* coordinates = nullptr) {
  const std::vector<Vertex> ids = sample.edges.ids();
  const std::size_t n = ids.size();
  if (n == 0) return;
  std::map<Vertex, std::size_t> place;
  for (std::size_t k = 0; k < n; ++k) place[ids[k]] = k;
  const auto arcs = sample.arcs();
  std::map<std::pair<std::size_t, std::size_t>, double> weight;
  for (const auto& a : arcs)
    weight[{static_cast<std::size_t>(a.from), static_cast<std::size_t>(a.to)}] =
        length == PathLength::weights ? a.weight : 1;
  PathSearch search(graph, length, coordinates);
  constexpr std::uint64_t kPaths = 6;
  for (std::uint64_t i = 0; i < kPaths; ++i) {
    const std::size_t s = random_at(3, 2 * i) % n, t = i == 0 ? s : random_at(3, 2 * i + 1) % n;
    const double expected = distances_from<double>(n, arcs, s, length == PathLength::weights)[t];
    const VertexPath path = search.run(ids[s], ids[t]);
    CAPTURE(ids[s]);
    CAPTURE(ids[t]);
    if (expected == kUnreached) {
      CHECK(path.length == kUnreached);
      CHECK(path.vertices.empty());
      continue;
    }
    CHECK(path.length == doctest::Approx(expected).epsilon(1e-12));
    REQUIRE(!path.vertices.empty());
    CHECK(path.vertices.front() == ids[s]);
    CHECK(path.vertices.back() == ids[t]);
    double sum = 0;
    for (std::size_t k = 1; k < path.vertices.size(); ++k) {
      const auto edge = weight.find({place.at(path.vertices[k - 1]), place.at(path.vertices[k])});
      REQUIRE(edge != weight.end());
      sum += edge->second;
    }
    CHECK(path.length == sum);
    CHECK(path.visited >= 1);
    CHECK(path.visited <= static_cast<Vertex>(2 * n));
  }
}

Graph weighted(World& world, const std::vector<std::tuple<Vertex, Vertex, double>>& edges, bool directed) {
  const std::size_t m = world.rank() == world.size() - 1 ? edges.size() : 0;
  Array<Vertex> source(m), target(m);
  Array<double> weight(m);
  for (std::size_t k = 0; k < m; ++k) std::tie(source[k], target[k], weight[k]) = edges[k];
  EdgeList list;
  list.source = std::move(source);
  list.target = std::move(target);
  list.weight = std::move(weight);
  list.directed = directed;
  list.name = "edges";
  return Graph::build(world, std::move(list));
}

Plan one_thread() {
  Plan plan;
  plan.threads = 1;
  return plan;
}

}  // namespace

TEST_CASE("a path has the distance and the edges of the graph, for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::wide, [](const Sample& sample, const Graph& graph) {
    check(sample, graph, PathLength::edges);
    check(sample, graph, PathLength::weights);
  });
}

TEST_CASE("whatever places vertices have, a path is as short as without") {
  samples::for_each_spread(cases::Weight::wide, [](const Sample& sample, const Graph& graph) {
    const PlaneCoordinates coordinates = places(graph);
    if (graph.world().size() == 3) check(sample, graph, PathLength::edges, &coordinates);
    check(sample, graph, PathLength::weights, &coordinates);
  });
}

TEST_CASE("a path leads through edges that weigh nothing") {
  for (const Rank ranks : shapes::kRanks)
    for (const bool directed : {false, true})
      run_ranks(ranks, one_thread(), [&](World& world) {
        // 0 to 9 by a ring of zeros, in which a walk back may go round, and a tail of zeros
        std::vector<std::tuple<Vertex, Vertex, double>> edges;
        for (Vertex v = 1; v < 7; ++v) edges.emplace_back(v, v == 6 ? 1 : v + 1, 0.0);
        edges.insert(edges.end(), {{0, 1, 2.0}, {0, 4, 2.0}, {3, 8, 0.0}, {8, 9, 0.0}, {6, 7, 0.0}});
        const Graph graph = weighted(world, edges, directed);
        PathSearch search(graph, PathLength::weights);
        const VertexPath path = search.run(0, 9);
        CHECK(path.length == 2);
        CHECK(path.vertices.front() == 0);
        CHECK(path.vertices.back() == 9);
        std::vector<Vertex> distinct = path.vertices;
        std::sort(distinct.begin(), distinct.end());
        CHECK(std::adjacent_find(distinct.begin(), distinct.end()) == distinct.end());
        CHECK(search.run(1, 9).length == 0);
        CHECK(search.run(9, 0).length == (directed ? kUnreached : 2));
      });
}

TEST_CASE("whole lengths beyond 2^53 are exact, or refused") {
  constexpr double kLarge = 0x1p53;
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, one_thread(), [&](World& world) {
      // By doubles both ways would be 2^53 + 2 long or less.
      const Graph graph =
          weighted(world, {{0, 1, kLarge}, {1, 2, 1}, {2, 3, 1}, {3, 9, 1}, {0, 5, kLarge}, {5, 9, 2}}, true);
      PathSearch search(graph, PathLength::weights);
      CHECK(search.run(0, 9).vertices == std::vector<Vertex>{0, 5, 9});
      CHECK(search.run(0, 9).length == kLarge + 2);
      CHECK_THROWS_AS(search.run(0, 2), InputError);
      CHECK(search.run(1, 9).length == 3);
    });
}

TEST_CASE("a path visits the part of the graph that is near its ends") {
  run_ranks(2, one_thread(), [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "grid:101x101"));
    PathSearch search(graph, PathLength::edges);
    const VertexPath path = search.run(50 * 101 + 40, 50 * 101 + 60);
    CHECK(path.length == 20);
    CHECK(path.visited < 600);  // of 10,201: two squares of side 20 on their corners
  });
}

TEST_CASE("places keep a search between its ends") {
  constexpr Vertex kSide = 101;
  for (const Rank ranks : {1, 2})
    run_ranks(ranks, one_thread(), [](World& world) {
      // a lattice whose edges are a little longer than they are in the plane, each by another share
      std::vector<std::tuple<Vertex, Vertex, double>> edges;
      for (Vertex v = 0; v < kSide * kSide; ++v)
        for (const Vertex u : {v + 1, v + kSide}) {
          if (u >= kSide * kSide || (u == v + 1 && u % kSide == 0)) continue;
          edges.emplace_back(
              v, u,
              1 + static_cast<double>(random_at(4, static_cast<std::uint64_t>(2 * v + (u > v + 1))) % 100) / 2000);
        }
      const Graph graph = weighted(world, edges, false);
      PlaneCoordinates coordinates = places(graph);
      for (std::size_t k = 0; k < coordinates.x.size(); ++k) {
        const Vertex id = graph.id_of(graph.local_of(static_cast<Vertex>(k)));
        coordinates.x[k] = static_cast<double>(id % kSide);
        coordinates.y[k] = static_cast<double>(id / kSide);
      }
      PathSearch plain(graph, PathLength::weights), guided(graph, PathLength::weights, &coordinates);
      const Vertex from = 50 * kSide + 20, to = 50 * kSide + 80;
      const VertexPath a = plain.run(from, to), b = guided.run(from, to);
      CHECK(a.length == doctest::Approx(b.length).epsilon(1e-12));
      CHECK(b.visited < a.visited / 2);
      CHECK(PlaneBounds(graph, PathLength::weights, coordinates).length_per_unit() == doctest::Approx(1));
      CHECK(guided.run(to, from).length == doctest::Approx(a.length).epsilon(1e-12));
      if (world.rank() == 0) coordinates.y[0] = kUnreached;
      CHECK_THROWS_AS(PathSearch(graph, PathLength::weights, &coordinates), InputError);
      coordinates.x = Array<double>();
      CHECK_THROWS_AS(PathSearch(graph, PathLength::edges, &coordinates), InputError);
    });
}

TEST_CASE("what is no vertex and no weight is refused the same on all ranks") {
  run_ranks(3, one_thread(), [](World& world) {
    const Graph without = Graph::build(world, generate(world, "path:5"));
    CHECK_THROWS_AS(PathSearch(without, PathLength::weights), InputError);
    PathSearch search(without, PathLength::edges);
    CHECK_THROWS_AS(search.run(0, 77), InputError);
    CHECK_THROWS_AS(search.run(77, 0), InputError);
    CHECK(search.run(0, 4).vertices == std::vector<Vertex>{0, 1, 2, 3, 4});
    const Graph negative = weighted(world, {{0, 1, -1.0}}, false);
    CHECK_THROWS_AS(PathSearch(negative, PathLength::weights), InputError);
    CHECK(world.sum(1) == 3);
  });
}
