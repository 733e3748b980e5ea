// SPDX-License-Identifier: Apache-2.0
// Textbook programs of a few lambdas beside the tuned algorithms: each is the other's oracle, on the same graphs,
// partitions, cuts and routes.
#include <doctest/doctest.h>

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/components/components.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/engine/vertex_program.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <limits>

#include "algorithms/spread_samples.hpp"

using namespace atl;

namespace {

template <class T, class Combine>
std::vector<T> masters(const Graph& graph, const VertexProgram<T, Combine>& program) {
  Array<T> by_owned_index(static_cast<std::size_t>(graph.owned()));
  for (Vertex v = 0; v < graph.owned(); ++v) by_owned_index[static_cast<std::size_t>(v)] = program[graph.local_of(v)];
  return samples::by_id(graph, by_owned_index);
}

// The local index of an id on its owner; -1 on other ranks. Collective.
Local here(const Graph& graph, Vertex id) {
  const auto [owner, owned_index] = graph.find(id);
  return owner == graph.world().rank() ? graph.local_of(owned_index) : -1;
}

Vertex some_id(const Graph& graph) {
  const Vertex mine = graph.owned() > 0 ? graph.ids().id_of(graph.owned() / 2) : kNoVertex;
  const std::vector<Vertex> all = graph.world().all_gather(mine);
  return *std::max_element(all.begin(), all.end());
}

constexpr Direction kDirections[] = {Direction::automatic, Direction::push, Direction::pull};

}  // namespace

TEST_CASE("hop counts in three lines equal those of breadth-first search") {
  samples::for_each_spread(cases::Weight::none, [&](const auto&, const Graph& graph) {
    if (graph.vertices() == 0) return;
    const Vertex source = some_id(graph);
    const BfsResult found = bfs(graph, source, {.depths = Depths::yes});
    const std::vector<Vertex> expected = samples::by_id(graph, found.depth);
    for (const Direction direction : kDirections) {
      VertexProgram<Vertex, MinOf> hops(graph, {.direction = direction});
      for (int again = 0; again < 2; ++again) {
        hops.start(kUnreachable);
        if (const Local v = here(graph, source); v >= 0) hops.update(v, 0);
        int rounds = 0;
        while (hops.round([](Vertex d, const auto&) { return d + 1; }, [](Vertex d) { return d == kUnreachable; }))
          ++rounds;
        CHECK(rounds <= found.levels);  // vertices without edges send nothing
        if (direction == Direction::pull) CHECK(hops.pulls() == rounds);
        if (direction == Direction::push) CHECK(hops.pulls() == 0);
        CHECK(masters(graph, hops) == expected);
      }
    }
  });
}

TEST_CASE("relaxing in rounds, and by buckets, finds the distances of delta-stepping") {
  constexpr double kUnreached = std::numeric_limits<double>::infinity();
  samples::for_each_spread(cases::Weight::wide, [&](const auto&, const Graph& graph) {
    if (graph.vertices() == 0) return;
    const Vertex source = some_id(graph);
    SsspResult<double> found;
    Sssp<double>(graph).run(source, found);
    const std::vector<double> expected = samples::by_id(graph, found.distance);
    const auto relax = [](double d, const auto& edge) { return d + edge.weight; };
    for (const Direction direction : kDirections) {
      VertexProgram<double, MinOf> distance(graph, {.direction = direction});
      distance.start(kUnreached);
      if (const Local v = here(graph, source); v >= 0) distance.update(v, 0);
      while (distance.round(relax)) {
      }
      CHECK(masters(graph, distance) == expected);
    }
    VertexProgram<double, MinOf> distance(graph);
    distance.start(kUnreached);
    if (const Local v = here(graph, source); v >= 0) distance.update(v, 0);
    for (double horizon = 1;; horizon += 1) {
      distance.synchronize();
      double least = kUnreached;
      distance.for_active([&](double d) { least = std::min(least, d); });
      least = graph.world().min(least);
      if (least == kUnreached) break;
      distance.relax_until(relax, [&](double d) { return d < horizon || d <= least; });
    }
    CHECK(masters(graph, distance) == expected);
    distance.synchronize_mirrors();
  });
}

TEST_CASE("propagating the smallest id in both directions finds components; the greatest works as well") {
  samples::for_each_spread(cases::Weight::none, [&](const auto&, const Graph& graph) {
    if (graph.directed()) return;
    ComponentsResult found;
    Components(graph).run(found);
    const std::vector<Vertex> expected = samples::by_id(graph, found.component);
    for (const Direction direction : kDirections) {
      VertexProgram<Vertex, MinOf> least(graph, {.direction = direction});
      VertexProgram<Vertex, MaxOf> greatest(graph, {.direction = direction});
      const auto id = [&](Local v) { return graph.id_of(v); };
      const auto same = [](Vertex label, const auto&) { return label; };
      least.start(id);
      greatest.start(id);
      for (Local v = 0; v < graph.active(); ++v) {
        least.activate(v);
        greatest.activate(v);
      }
      while (least.round(same)) {
      }
      while (greatest.round(same)) {
      }
      const auto names = masters(graph, least);
      CHECK(names == expected);
      const auto others = masters(graph, greatest);
      for (std::size_t v = 0; v < names.size(); ++v)
        for (const std::size_t u : {v / 2, names.size() - 1 - v})
          CHECK((names[u] == names[v]) == (others[u] == others[v]));
    }
  });
}

TEST_CASE("programs over a vertex-cut share the graph's") {
  Plan plan;
  plan.threads = 1;
  run_ranks(4, plan, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "kron:7"), {.placement = {.cut = Cut::hybrid}});
    const VertexProgram<float, MinOf> one(graph);
    const VertexProgram<Vertex, MinOf> other(graph);
    CHECK(one.cut() == &graph.vertex_cut(CutRows::sources));
    CHECK(one.cut() == other.cut());
    CHECK(GraphView::of(graph, CutRows::targets).rows == &graph.vertex_cut(CutRows::targets).rows());
  });
}
