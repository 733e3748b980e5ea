// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/pagerank/degree_split.hpp>
#include <atoll/algorithms/pagerank/length_sorted_rows.hpp>
#include <atoll/algorithms/pagerank/sell.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <cmath>

#include "shapes.hpp"

using namespace atl;

TEST_CASE("length-sorted rows contain each vertex once and sum its sources, for any number of threads") {
  for (const char* text : {"kron:11", "uniform:13:6", "grid:70x61", "star:9000", "path:2"})
    for (const int threads : {1, 2, 3}) {
      CAPTURE(text);
      CAPTURE(threads);
      Plan plan;
      plan.threads = threads;
      run_ranks(1, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, text));
        const LengthSortedRows rows(world.team(), graph);
        const auto active = static_cast<std::size_t>(graph.active());
        std::vector<double> x(active), sums(active, -1);
        std::vector<Local> position_of(active, -1);
        for (std::size_t v = 0; v < active; ++v) {
          x[v] = static_cast<double>(v % 1009);  // whole numbers: sums are exact in any order
          position_of[static_cast<std::size_t>(rows.local_of[v])] = static_cast<Local>(v);
        }
        std::size_t next = 0;
        for (const LengthSortedRows::Chunk& chunk : rows.chunks()) {
          CHECK(chunk.begin == next);
          next = chunk.end;
          rows.sum_rows(chunk, x.data(), sums.data());
        }
        CHECK(next == active);
        std::size_t wrong = 0;
        for (std::size_t v = 0; v < active; ++v) {
          const Local at = position_of[v];
          REQUIRE(at >= 0);
          double sum = 0;
          for (const Local u : graph.in().neighbours(static_cast<Local>(v)))
            sum += x[static_cast<std::size_t>(position_of[static_cast<std::size_t>(u)])];
          wrong += sums[static_cast<std::size_t>(at)] != sum;
        }
        CHECK(wrong == 0);
      });
    }
}

TEST_CASE("pagerank by length-sorted rows equals that by hubs and tail, on one rank") {
  for (const bool directed : {false, true})
    for (const int threads : {1, 2}) {
      CAPTURE(directed);
      CAPTURE(threads);
      Plan plan;
      plan.threads = threads;
      run_ranks(1, plan, [&](World& world) {
        EdgeList edges = generate(world, "kron:12");
        edges.directed = directed;
        const Graph graph = Graph::build(world, std::move(edges));
        REQUIRE(graph.hubs() > 0);
        SellPageRank<double> rows(graph);
        DegreeSplitPageRank<double> hubs(graph);
        PageRankResult<double> a, b;
        const PageRankOptions options{.tolerance = {}, .max_iterations = 9};
        rows.run(options, a);
        hubs.run(options, b);
        REQUIRE(a.score.size() == b.score.size());
        double difference = 0, sum = 0;
        for (std::size_t v = 0; v < a.score.size(); ++v) {
          difference += std::abs(a.score[v] - b.score[v]);
          sum += a.score[v];
        }
        CHECK(difference < 1e-12);
        CHECK(sum == doctest::Approx(1));
        CHECK(a.change == doctest::Approx(b.change));
      });
    }
}
