// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/graph/profile.hpp>

#include "graph/formats/files.hpp"

using namespace files;

TEST_CASE("a profile has the counts of a small graph") {
  Folder folder;
  // A triangle with a duplicate edge and a loop, a separate edge, and an isolated vertex.
  const std::string path =
      folder.write("a.txt", "# atoll: vertices 10..15 undirected\n10 11\n11 12\n12 10\n10 12\n10 10\n13 14\n");
  for (const bool directed : {false, true}) {
    for (const Rank ranks : {1, 2, 3, 5, 8}) {
      run_ranks(ranks, two_threads(), [&](World& world) {
        EdgeList edges = read_edges(world, path, {.directed = directed});
        const IdMap ids = number(world, edges);
        const GraphProfile p = profile_of(world, edges, ids);
        CHECK(p.vertices == 6);
        CHECK(p.edges == 6);
        CHECK(p.self_loops == 1);
        CHECK(p.isolated == 1);
        CHECK(p.distinct_edges == (directed ? 6 : 5));
        CHECK(p.least_id == 10);
        CHECK(p.most_id == 15);
        CHECK(p.components == 3);
        CHECK(p.largest_component == 3);
        CHECK(p.most_degree == (directed ? 3 : 4));
        CHECK(p.most_in_degree == (directed ? 2 : 0));
        if (!directed) CHECK(p.degree_histogram == std::vector<Vertex>{1, 2, 2, 1});
      });
    }
  }
}

TEST_CASE("the memory of a graph is within a tenth of its profile's prediction") {
  for (const char* input : {"kron:14", "uniform:14:16", "rmat:14:0.57,0.19,0.19", "grid:200x150"}) {
    CAPTURE(input);
    for (const Rank ranks : {1, 2, 4}) {
      CAPTURE(ranks);
      run_ranks(ranks, two_threads(), [&](World& world) {
        EdgeList edges = generate(world, input, {});
        const IdMap ids = number(world, edges);
        const auto table = expected_bytes(profile_of(world, edges, ids));
        const Graph graph = Graph::build(world, std::move(edges));
        const double bytes = static_cast<double>(world.sum(graph.memory_bytes()));
        const double peak = static_cast<double>(world.sum(graph.report().peak_bytes));
        if (world.rank() != 0) return;
        CHECK(table[table.size() - 2].bytes == doctest::Approx(bytes).epsilon(0.1));
        CHECK(table.back().bytes == doctest::Approx(peak).epsilon(0.1));
      });
    }
  }
}
