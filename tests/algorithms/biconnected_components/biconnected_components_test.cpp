// SPDX-License-Identifier: Apache-2.0
#include "reference/biconnected_components.hpp"

#include <doctest/doctest.h>

#include <atoll/algorithms/biconnected_components/biconnected_components.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/components/biconnected_components.hpp>
#include <map>
#include <tuple>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

struct Expected {
  std::vector<Vertex> blocks, articulation, bridge, block, head;  // by ascending id
  std::map<std::pair<Vertex, Vertex>, Vertex> of_edge;            // by ids, the smaller first
  Vertex components = 0, bridges = 0, points = 0, largest = 0;
};

// Each edge once.
std::vector<std::pair<std::size_t, std::size_t>> edges_of(const Sample& sample) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const auto& a : sample.arcs())
    if (a.from < a.to) edges.emplace_back(static_cast<std::size_t>(a.from), static_cast<std::size_t>(a.to));
  return edges;
}

Expected expected_of(const Sample& sample) {
  const auto ids = sample.edges.ids();
  const std::size_t n = ids.size();
  const std::vector<Vertex> none(n, 0), nowhere(n, -1);
  Expected right{none, none, none, nowhere, nowhere, {}};
  for (const reference::Block& block : reference::biconnected_components(n, edges_of(sample))) {
    const auto others = block.others();
    ++right.components;
    right.bridges += right.bridge[others[0]] = block.edges.size() == 1;
    right.largest = std::max(right.largest, static_cast<Vertex>(others.size()) + 1);
    ++right.blocks[block.head];
    for (const std::size_t v : others) {
      ++right.blocks[v];
      right.block[v] = ids[others[0]];
      right.head[v] = ids[block.head];
    }
    for (const auto& [u, v] : block.edges) right.of_edge[std::minmax(ids[u], ids[v])] = ids[others[0]];
  }
  for (std::size_t v = 0; v < n; ++v) right.points += right.articulation[v] = right.blocks[v] > 1;
  return right;
}

void check_edges(const Graph& graph, const BiconnectedComponentsResult& result, const Expected& right) {
  const Array<Vertex> labels =
      edge_blocks(graph, {result.block.data(), result.block.size()}, {result.head.data(), result.head.size()});
  std::size_t k = 0, wrong = 0;
  for (Local v = 0; v < graph.active(); ++v)
    for (const Local u : graph.out().neighbours(v)) {
      const Vertex from = graph.id_of(v), to = graph.id_of(u);
      if (from > to) continue;
      REQUIRE(k < labels.size());
      const Vertex label = labels[k++];
      wrong += from == to ? label != result.block[graph.owned_index_of(v)] : label != right.of_edge.at({from, to});
    }
  CHECK(k == labels.size());
  CHECK(wrong == 0);
}

void check_result(const Graph& graph, const BiconnectedComponentsResult& result, const Expected& right) {
  CHECK(samples::by_id(graph, result.blocks) == right.blocks);
  CHECK(samples::by_id(graph, result.articulation) == right.articulation);
  CHECK(samples::by_id(graph, result.bridge) == right.bridge);
  CHECK(samples::by_id(graph, result.block) == right.block);
  CHECK(samples::by_id(graph, result.head) == right.head);
  CHECK(std::tuple(result.components, result.bridges, result.articulation_points, result.largest) ==
        std::tuple(right.components, right.bridges, right.points, right.largest));
  check_edges(graph, result, right);
}

Verdict verdict_on(const Graph& graph, const BiconnectedComponentsResult& result) {
  const auto span = [](const Array<Vertex>& a) { return std::span<const Vertex>(a.data(), a.size()); };
  return verify_biconnected_components(graph, {.blocks = span(result.blocks),
                                               .articulation = span(result.articulation),
                                               .bridge = span(result.bridge),
                                               .block = span(result.block),
                                               .head = span(result.head),
                                               .components = result.components,
                                               .bridges = result.bridges,
                                               .articulation_points = result.articulation_points,
                                               .largest = result.largest});
}

// Rings of random lengths that hang on each other at random vertices, with edges and chords between them: blocks of all
// sizes, whose tree is deep.
cases::Case cactus(std::uint64_t rings, Vertex longest, std::uint64_t seed) {
  cases::Case c{"cactus", {}, {}, {}};
  std::uint64_t draw = 0;
  const auto random = [&](Vertex below) {
    return static_cast<Vertex>(random_at(seed, draw++) % static_cast<std::uint64_t>(below));
  };
  Vertex n = 1;
  const auto name = [](Vertex v) { return v * 7919 % 1000003; };  // ids in another order than along the rings
  for (std::uint64_t k = 0; k < rings; ++k) {
    const Vertex length = random(longest) + 1, at = std::max<Vertex>(0, n - 1 - random(longest));
    Vertex before = at;
    for (Vertex i = 0; i < length; ++i, ++n) {
      c.edges.emplace_back(name(before), name(n));
      before = n;
    }
    if (random(3) > 0) c.edges.emplace_back(name(before), name(at));
    if (random(4) == 0) c.edges.emplace_back(name(n - 1), name(n - 1 - random(length)));
  }
  return c;
}

void check_on_ranks(const Sample& sample, const std::vector<std::pair<Rank, int>>& sizes) {
  const Expected right = expected_of(sample);
  for (const auto& [ranks, threads] : sizes) {
    if (shapes::kSanitized && ranks > 4) continue;
    CAPTURE(sample.edges.name);
    CAPTURE(ranks);
    CAPTURE(threads);
    Plan plan;
    plan.threads = threads;
    run_ranks(ranks, plan, [&](World& world) {
      for (const Cut cut : {Cut::edge, Cut::cartesian, Cut::hybrid}) {
        if (cut != Cut::edge && world.size() == 1) continue;
        const Graph graph =
            Graph::build(world,
                         cases::slice(sample.edges, false, cases::Weight::none, sample.edges.ids().empty(),
                                      world.rank(), world.size(), cases::Distribution::spread),
                         {.duplicates = sample.duplicates,
                          .placement = {.partition = Partition::balanced, .cut = cut, .heavy = 20}});
        BiconnectedComponents search(graph);
        BiconnectedComponentsResult result;
        for (int turn = 0; turn < 2; ++turn) {
          search.run(result);
          check_result(graph, result, right);
        }
      }
    });
  }
}

}  // namespace

TEST_CASE("blocks are those of a depth-first search for any ranks, routes, partitions and cuts") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    if (sample.directed) {
      CHECK_THROWS_AS(BiconnectedComponents{graph}, InputError);
      return;
    }
    const BiconnectedComponentsResult result = biconnected_components(graph);
    check_result(graph, result, expected_of(sample));
    CHECK(verdict_on(graph, result).what == "");
  });
}

TEST_CASE("blocks on one rank, with parallel edges kept, which are no bridges, and merged") {
  samples::for_each(cases::Weight::none, {machine_isa()}, [](const Sample& sample, const Graph& graph) {
    if (sample.directed) return;
    const BiconnectedComponentsResult result = biconnected_components(graph);
    check_result(graph, result, expected_of(sample));
    CHECK(verdict_on(graph, result).what == "");
  });
}

TEST_CASE("blocks of deep and of wide trees of rings, of grids, paths and stars") {
  const std::vector<std::pair<Rank, int>> sizes{{1, 1}, {1, 2}, {1, 4}, {2, 2}, {3, 1}, {5, 1}, {8, 1}};
  for (const std::uint64_t seed : {1, 2, 3})
    for (const Vertex longest : {Vertex{2}, Vertex{9}, Vertex{70}}) {
      if (shapes::kSanitized && (seed > 1 || longest != 9)) continue;
      for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep})
        check_on_ranks({cactus(200, longest, seed), false, duplicates}, sizes);
    }
  for (const char* text :
       {"kron:10:4", "uniform:11:2", "uniform:10:3", "grid:50x41", "path:4001", "ring:4001", "star:3000"})
    check_on_ranks({samples::from_text(text), false, Duplicates::merge_min}, sizes);
}

TEST_CASE("isolated vertices are in no block where the graph keeps them too") {
  for (const Rank ranks : {1, 3})
    for (const Isolated isolated : {Isolated::drop, Isolated::keep}) {
      Plan plan;
      plan.threads = 2;
      run_ranks(ranks, plan, [&](World& world) {
        cases::Case c{"two edges", {{3, 4}, {4, 5}, {7, 7}}, IdRange{0, 9}, {}};
        const Graph graph = Graph::build(
            world,
            cases::slice(c, false, cases::Weight::none, false, world.rank(), world.size(), cases::Distribution::spread),
            {.isolated = isolated});
        const BiconnectedComponentsResult result = biconnected_components(graph);
        CHECK(samples::by_id(graph, result.blocks) == std::vector<Vertex>{0, 0, 0, 1, 2, 1, 0, 0, 0});
        CHECK(samples::by_id(graph, result.block) == std::vector<Vertex>{-1, -1, -1, -1, 4, 5, -1, -1, -1});
        CHECK(samples::by_id(graph, result.head) == std::vector<Vertex>{-1, -1, -1, -1, 3, 4, -1, -1, -1});
        CHECK(std::tuple(result.components, result.bridges, result.articulation_points, result.largest) ==
              std::tuple(Vertex{2}, Vertex{2}, Vertex{1}, Vertex{2}));
      });
    }
}
