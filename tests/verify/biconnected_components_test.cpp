// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/biconnected_components/biconnected_components.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/components/biconnected_components.hpp>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

// By ascending id; empty ones are not given.
struct Columns {
  std::vector<Vertex> blocks, articulation, bridge, block, head;
};

Columns columns_of(const Sample& s) {
  Plan plan;
  plan.threads = 1;
  const auto world = World::alone(plan);
  const Graph graph = Graph::build(
      *world,
      cases::slice(s.edges, false, cases::Weight::none, s.edges.ids().empty(), 0, 1, cases::Distribution::spread),
      {.duplicates = s.duplicates});
  const BiconnectedComponentsResult result = biconnected_components(graph);
  const auto list = [](const Array<Vertex>& a) { return std::vector<Vertex>(a.begin(), a.end()); };
  return {list(result.blocks), list(result.articulation), list(result.bridge), list(result.block), list(result.head)};
}

Verdict verdict_on(const Graph& graph, const std::vector<Vertex>& ids, const Columns& columns) {
  std::vector<Array<Vertex>> kept;
  for (const auto* column : {&columns.blocks, &columns.articulation, &columns.bridge, &columns.block, &columns.head})
    kept.push_back(column->empty() ? Array<Vertex>() : by_owned_index(graph, ids, *column));
  return verify_biconnected_components(graph,
                                       {.blocks = span(kept[0]),
                                        .articulation = span(kept[1]),
                                        .bridge = span(kept[2]),
                                        .block = span(kept[3]),
                                        .head = span(kept[4])},
                                       {.vertices = 40});
}

std::vector<std::string> said_of_columns(const Sample& s, const std::vector<Columns>& answers) {
  const auto ids = s.edges.ids();
  return said(s, cases::Weight::none, answers,
              [&](const Graph& graph, const Columns& columns) { return verdict_on(graph, ids, columns); });
}

}  // namespace

TEST_CASE("biconnected components: the right ones pass, all columns or one alone, and any other value is found") {
  for_each_sample([](const Sample& s) {
    if (s.directed) return;
    const auto ids = s.edges.ids();
    if (ids.empty()) return;
    const Columns right = columns_of(s);
    const std::vector<std::vector<Vertex> Columns::*> columns{&Columns::blocks, &Columns::articulation,
                                                              &Columns::bridge, &Columns::block, &Columns::head};
    for (const auto column : columns) {
      Columns alone;
      alone.*column = right.*column;
      std::vector<Columns> answers{alone};
      for (std::size_t i = 0; i < 12; ++i) {
        Columns wrong = alone;
        Vertex& value = (wrong.*column)[random_at(31, i) % ids.size()];
        const Vertex before = value;
        value = i % 3 == 0 ? value + 1 : i % 3 == 1 ? value - 1 : ids[random_at(32, i) % ids.size()];
        if (value != before) answers.push_back(std::move(wrong));
      }
      check_only_first_passes(said_of_columns(s, answers));
    }
    CHECK(said_of_columns(s, {right})[0] == "");
  });
}

TEST_CASE("biconnected components: the check says which rule is broken, and where") {
  // Triangles 1 2 3 and 4 5 6, the bridges 3 4 and 8 9.
  const Sample s = two_triangles();
  const auto of = [&](const Columns& columns) { return said_of_columns(s, {columns})[0]; };
  const Columns right{{1, 1, 2, 2, 1, 1, 1, 1},
                      {0, 0, 1, 1, 0, 0, 0, 0},
                      {0, 0, 0, 1, 0, 0, 0, 1},
                      {-1, 2, 2, 4, 5, 5, -1, 9},
                      {-1, 1, 1, 3, 4, 4, -1, 8}};
  CHECK(of(right) == "");
  const auto with = [&](auto&& change) {
    Columns wrong = right;
    change(wrong);
    return of(wrong);
  };
  CHECK(with([](Columns& c) { c.blocks[1] = -2; }) == "rule 1: vertex 2 is in -2 blocks (0 or more)");
  CHECK(with([](Columns& c) { c.articulation[2] = 0; }) ==
        "rule 1: vertex 3 has the mark 0 (1 of an articulation point, which is in two blocks or more, else 0)");
  CHECK(with([](Columns& c) { c.block[1] = 3; }) ==
        "rule 2: an edge joins vertices 2 and 3, which have different blocks, and neither is the head of the "
        "other");
  CHECK(with([](Columns& c) { c.block[7] = 8; }) == "rule 3: vertex 9 has the block 8 (a search finds 9)");
  CHECK(with([](Columns& c) { c.blocks[0] = 0; }) == "rule 3: vertex 1 has the number of blocks 0 (a search finds 1)");
}

TEST_CASE("biconnected components: where edges cannot be gathered, drawn vertices are removed") {
  const Sample s = two_triangles();
  const auto ids = s.edges.ids();
  const Columns right = columns_of(s);
  Plan plan;
  plan.threads = 1;
  plan.replicated_bytes = 300;
  for (const Rank ranks : {2, 3, 5})
    run_ranks(ranks, plan, [&](World& world) {
      const Graph graph = Graph::build(
          world,
          cases::slice(s.edges, false, cases::Weight::none, false, world.rank(), ranks, cases::Distribution::spread),
          {.placement = {.partition = Partition::hashed}});
      CHECK(verdict_on(graph, ids, right).what == "");
      Columns wrong = right;
      wrong.blocks = std::vector<Vertex>(8, 1);
      wrong.articulation.clear();
      CHECK(verdict_on(graph, ids, wrong).what ==
            "rule 4: vertex 3 has the number of blocks 1 (its removal leaves 2 pieces)");
      Columns marks;
      marks.articulation = std::vector<Vertex>(8, 1);
      CHECK(verdict_on(graph, ids, marks).what ==
            "rule 4: vertex 1 has the mark of articulation points 1 (its removal leaves 1 pieces)");
    });
}

TEST_CASE("biconnected components: a directed graph and too few values are refused the same on all ranks") {
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    EdgeList edges = generate(world, "path:9");
    edges.directed = true;
    const Graph directed = Graph::build(world, std::move(edges));
    const Array<Vertex> blocks(index(directed.owned()), 0);
    CHECK_THROWS_AS(verify_biconnected_components(directed, {.blocks = span(blocks)}), InputError);
    const Graph graph = Graph::build(world, generate(world, "path:9"));
    const std::vector<Vertex> one(world.rank() == 1 ? 1 : 0, 0);
    CHECK_THROWS_AS(verify_biconnected_components(graph, {.head = one}), InputError);
    CHECK(world.sum(1) == 3);
  });
}
