// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/topological_order/topological_order.hpp>
#include <set>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// Sets a vertex to 1 + the greatest of its tails once all of them are set; -1 where that never happens.
std::vector<Vertex> generations_by_passes(std::size_t n, const std::vector<samples::Arc>& arcs) {
  std::vector<Vertex> generation(n, -1);
  for (bool any = true; any;) {
    any = false;
    std::vector<Vertex> next(n, 0);
    for (const auto& a : arcs) {
      const Vertex tail = generation[static_cast<std::size_t>(a.from)];
      Vertex& head = next[static_cast<std::size_t>(a.to)];
      if (head >= 0) head = tail < 0 ? -1 : std::max(head, tail + 1);
    }
    for (std::size_t v = 0; v < n; ++v)
      if (generation[v] < 0 && next[v] >= 0) generation[v] = next[v], any = true;
  }
  return generation;
}

void check_cycle(const Sample& sample, const std::vector<Vertex>& cycle) {
  const std::vector<Vertex> ids = sample.edges.ids();
  std::set<std::pair<Vertex, Vertex>> edges;
  for (const auto& a : sample.arcs())
    edges.emplace(ids[static_cast<std::size_t>(a.from)], ids[static_cast<std::size_t>(a.to)]);
  REQUIRE(!cycle.empty());
  CHECK(std::set<Vertex>(cycle.begin(), cycle.end()).size() == cycle.size());
  CHECK(*std::ranges::min_element(cycle) == cycle.front());
  for (std::size_t k = 0; k < cycle.size(); ++k) CHECK(edges.contains({cycle[k], cycle[(k + 1) % cycle.size()]}));
}

}  // namespace

TEST_CASE("generations are those of the longest paths, or a cycle is named, for any ranks, routes and cuts") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    TopologicalOrder order(graph);
    TopologicalResult result;
    const auto expected = generations_by_passes(sample.vertices(), sample.arcs());
    for (int turn = 0; turn < 2; ++turn) {
      order.run(result);
      CHECK(samples::by_id(graph, result.generation) == expected);
      CHECK(result.generations == (expected.empty() ? 0 : *std::ranges::max_element(expected) + 1));
      const bool acyclic = std::ranges::find(expected, -1) == expected.end();
      CHECK(result.acyclic == acyclic);
      const std::vector<Vertex> cycle = order.cycle();
      if (acyclic) {
        CHECK(cycle.empty());
      } else {
        check_cycle(sample, cycle);
        CHECK(graph.world().all_gather(cycle.front()) ==
              std::vector<Vertex>(static_cast<std::size_t>(graph.world().size()), cycle.front()));
      }
    }
  });
}

TEST_CASE("graphs without cycles, whose edges lead to greater ids, have a generation for every vertex") {
  for (const char* text : {"kron:10:8", "uniform:11:6", "grid:60x70", "path:3000", "complete:60", "star:5000"}) {
    Sample sample{samples::from_text(text), true, Duplicates::merge_min};
    for (auto& [from, to] : sample.edges.edges)
      if (from > to) std::swap(from, to);
    std::erase_if(sample.edges.edges, [](const auto& edge) { return edge.first == edge.second; });
    const auto arcs = sample.arcs();
    // Arcs come by ascending tail, so one pass is enough.
    std::vector<Vertex> expected(sample.vertices(), 0);
    for (const auto& a : arcs) {
      Vertex& head = expected[static_cast<std::size_t>(a.to)];
      head = std::max(head, expected[static_cast<std::size_t>(a.from)] + 1);
    }
    for (const Rank ranks : {1, 2, 3, 5, 8})
      for (const int threads : {1, 3}) {
        if (threads > 1 && ranks > 2) continue;
        CAPTURE(text);
        CAPTURE(ranks);
        Plan plan;
        plan.threads = threads;
        run_ranks(ranks, plan, [&](World& world) {
          for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep}) {
            const Graph graph = Graph::build(world,
                                             cases::slice(sample.edges, true, cases::Weight::none, false, world.rank(),
                                                          world.size(), cases::Distribution::spread),
                                             {.duplicates = duplicates, .placement = {.partition = Partition::hashed}});
            TopologicalOrder order(graph);
            TopologicalResult result;
            order.run(result);
            CHECK(result.acyclic);
            CHECK(samples::by_id(graph, result.generation) == expected);
          }
        });
      }
  }
}
