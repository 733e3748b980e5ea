// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/engine/id_ordered_rows.hpp>
#include <atoll/engine/vertex_lookup.hpp>
#include <cmath>
#include <compare>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

struct OneEdge {
  Vertex from, to;
  double weight;
  auto operator<=>(const OneEdge&) const = default;
};
using Edges = std::vector<OneEdge>;

// All ranks' edges by vertex, in the order of the lists.
Edges listed(const Graph& graph, const IdOrderedRows& rows) {
  Edges edges;
  for (Local v = 0; v < graph.owned(); ++v)
    for (std::size_t k = 0; k < rows.targets(v).size(); ++k)
      edges.push_back({graph.id_of(v), graph.id_of(rows.targets(v)[k]), rows.weighted() ? rows.weights(v)[k] : 1});
  Edges all = graph.world().all_gather_varying(std::span<const OneEdge>(edges));
  std::stable_sort(all.begin(), all.end(), [](const OneEdge& a, const OneEdge& b) { return a.from < b.from; });
  return all;
}

}  // namespace

TEST_CASE("lists are in the order of ids, for any ranks and partitions") {
  samples::for_each_spread(cases::Weight::wide, [](const Sample& sample, const Graph& graph) {
    const std::vector<Vertex> ids = sample.edges.ids();
    for (const bool leaving : {true, false})
      for (const EdgeWeighting weighting : {EdgeWeighting::ones, EdgeWeighting::of_edges}) {
        Edges expected;
        for (const auto& arc : sample.arcs()) {
          const Vertex from = ids[static_cast<std::size_t>(arc.from)], to = ids[static_cast<std::size_t>(arc.to)];
          const double weight = weighting == EdgeWeighting::ones ? 1 : arc.weight;
          expected.push_back({leaving ? from : to, leaving ? to : from, weight});
        }
        std::sort(expected.begin(), expected.end());
        const IdOrderedRows rows(graph, leaving ? graph.out() : graph.in(), weighting);
        CHECK(listed(graph, rows) == expected);
      }
  });
}

TEST_CASE("vertices are found by their ids, and ids that there are not are said to be unknown") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    World& world = graph.world();
    const VertexLookup lookup(world, graph.ids());
    std::vector<Vertex> asked = sample.edges.ids();
    const std::size_t there = asked.size();
    for (const Vertex strange : {Vertex{123456}, kMaxVertex - 1, Vertex{-7}}) asked.push_back(strange);
    if (world.rank() % 2 == 1) asked.erase(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(there));
    const Array<Vertex> dense = lookup.dense_of(asked);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (k + 3 >= asked.size()) {
        CHECK(dense[k] == kUnknownVertex);
      } else {
        REQUIRE(dense[k] >= 0);
        const Vertex owned_index = dense[k] - graph.blocks().begin(world.rank());
        if (graph.blocks().owner(dense[k]) == world.rank()) CHECK(graph.ids().id_of(owned_index) == asked[k]);
      }
    }
  });
}

TEST_CASE("weights that are no chances are refused by all ranks") {
  for (const double wrong : {-1.0, std::nan(""), HUGE_VAL})
    for (const Rank ranks : {1, 3})
      run_ranks(ranks, {}, [&](World& world) {
        EdgeList list;
        const std::size_t m = world.rank() == 0 ? 1 : 0;
        list.source = Array<Vertex>(m, 2);
        list.target = Array<Vertex>(m, 4);
        list.weight = Array<double>(m, wrong);
        list.directed = true;
        list.name = "wrong";
        const Graph graph = Graph::build(world, std::move(list));
        CHECK_THROWS_AS(require_chances(graph, graph.out()), InputError);
        CHECK_THROWS_AS(require_chances(graph, graph.in()), InputError);
      });
}
