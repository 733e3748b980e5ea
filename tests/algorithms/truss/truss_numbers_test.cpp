// SPDX-License-Identifier: Apache-2.0
#include "reference/truss_numbers.hpp"

#include <doctest/doctest.h>

#include <atoll/algorithms/edge_order.hpp>
#include <atoll/algorithms/truss/distributed_peeling.hpp>
#include <atoll/algorithms/truss/truss_numbers.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/truss/truss_numbers.hpp>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

struct Expected {
  std::map<std::pair<Vertex, Vertex>, Vertex> of_edge;  // by ids, the smaller first
  std::vector<Vertex> greatest;                         // by ascending id
  Vertex largest = 0;
};

Expected expected_of(const Sample& sample) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const auto& a : sample.arcs())
    edges.emplace_back(static_cast<std::size_t>(a.from), static_cast<std::size_t>(a.to));
  const auto ids = sample.edges.ids();
  Expected right{{}, std::vector<Vertex>(ids.size(), 0)};
  for (const auto& [ends, number] : reference::truss_numbers(ids.size(), edges)) {
    const auto [u, v] = ends;
    right.of_edge[{ids[u], ids[v]}] = number;
    for (const std::size_t end : {u, v}) right.greatest[end] = std::max<Vertex>(right.greatest[end], number);
    right.largest = std::max<Vertex>(right.largest, number);
  }
  return right;
}

void check_result(const Graph& graph, const TrussNumbersResult& result, const Expected& right) {
  CHECK(samples::by_id(graph, result.greatest) == right.greatest);
  CHECK(result.largest == right.largest);
  std::size_t k = 0, wrong = 0;
  for_each_edge(graph, [&](Local v, Local u) {
    REQUIRE(k < result.of_edge.size());
    const Vertex from = graph.id_of(v), to = graph.id_of(u), said = result.of_edge[k++];
    wrong += said != (from == to ? 0 : right.of_edge.at({from, to}));
  });
  CHECK(k == result.of_edge.size());
  CHECK(wrong == 0);
}

std::string verdict_on(const Graph& graph, const TrussNumbersResult& result) {
  return verify_truss_numbers(graph, {.greatest = {result.greatest.data(), result.greatest.size()},
                                      .of_edge = {result.of_edge.data(), result.of_edge.size()},
                                      .largest = result.largest})
      .what;
}

// Graphs that fit on rank 0 are peeled there; the form of larger ones has to find the same.
void check_peeling_over_ranks(const Graph& graph, const TrussNumbersResult& result) {
  if (graph.world().size() == 1) return;
  DistributedTrussPeeling peeling(graph);
  Array<Vertex> of_edge(result.of_edge.size());
  for (int turn = 0; turn < 2; ++turn) {
    std::fill(of_edge.begin(), of_edge.end(), -1);
    peeling.run(of_edge);
    CHECK(std::ranges::equal(of_edge, result.of_edge));
  }
}

}  // namespace

TEST_CASE("truss numbers follow from the definition for any ranks, routes, partitions and cuts") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    if (sample.directed) {
      CHECK_THROWS_AS(TrussNumbers{graph}, InputError);
      return;
    }
    const TrussNumbersResult result = truss_numbers(graph);
    check_result(graph, result, expected_of(sample));
    CHECK(verdict_on(graph, result) == "");
    check_peeling_over_ranks(graph, result);
  });
}

TEST_CASE("truss numbers on one rank, with parallel edges kept and merged, the second time too") {
  samples::for_each(cases::Weight::none, {machine_isa()}, [](const Sample& sample, const Graph& graph) {
    if (sample.directed) return;
    const Expected right = expected_of(sample);
    TrussNumbers trusses(graph);
    TrussNumbersResult result;
    for (int turn = 0; turn < 2; ++turn) {
      trusses.run(result);
      check_result(graph, result, right);
    }
    CHECK(verdict_on(graph, result) == "");
  });
}

TEST_CASE("truss numbers of cliques that share vertices and of strips of triangles") {
  cases::Case c{"cliques", {}, {}, {}};
  Vertex next = 0;
  for (const Vertex size : {3, 7, 20, 4, 33, 11}) {
    for (Vertex u = 0; u < size; ++u)
      for (Vertex v = 0; v < u; ++v) c.edges.emplace_back(3 * (next + u), 3 * (next + v));
    next += size - (size % 2);  // every second pair of cliques shares a vertex
  }
  for (Vertex k = 0; k < 400; ++k) {
    c.edges.emplace_back(1000 + k, 1001 + k);
    c.edges.emplace_back(1000 + k, 1002 + k);
  }
  for (const auto& [ranks, threads] :
       std::vector<std::pair<Rank, int>>{{1, 1}, {1, 2}, {1, 4}, {2, 2}, {3, 1}, {8, 1}}) {
    Plan plan;
    plan.threads = threads;
    const Sample sample{c, false, Duplicates::merge_min};
    const Expected right = expected_of(sample);
    CHECK(right.largest == 33);
    run_ranks(ranks, plan, [&](World& world) {
      const Graph graph = Graph::build(world, cases::slice(c, false, cases::Weight::none, false, world.rank(),
                                                           world.size(), cases::Distribution::spread));
      const TrussNumbersResult result = truss_numbers(graph);
      check_result(graph, result, right);
      CHECK(verdict_on(graph, result) == "");
      check_peeling_over_ranks(graph, result);
    });
  }
}
