// SPDX-License-Identifier: Apache-2.0
// Searches without some of what routes save (Plan::without), and over the routes as published: the same answers, and
// exact counts of records.
#include <doctest/doctest.h>

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <string>
#include <vector>

#include "shapes.hpp"

using namespace atl;

namespace {

struct Searched {
  std::vector<Vertex> depths;
  std::uint64_t records = 0;
  Edge across = 0;  // edges of reached vertices to other ranks
};

Searched search_on(const std::string& machine, const std::string& route, const std::string& without,
                   Direction direction = Direction::push) {
  const Hierarchy hierarchy = Hierarchy::parse(machine);
  Plan plan;
  plan.route = route;
  plan.without = without;
  Searched searched;
  run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, [&](World& world) {
    const Graph graph = Graph::build(world, generate(world, "kron:9:8:3"));
    const Counters before = world.counters();
    const BfsResult found = bfs(graph, 1, {.direction = direction, .depths = Depths::yes});
    const std::uint64_t records = world.sum(world.counters().since(before).records);
    Edge across = 0;
    for (Vertex v = 0; v < graph.owned(); ++v) {
      const Local local = graph.local_of(v);
      if (found.depth[v] == kUnreachable || local >= graph.active()) continue;
      for (const Local to : graph.out().neighbours(local)) across += to >= graph.active();
    }
    across = world.sum(across);
    std::vector<Vertex> depths =
        world.all_gather_varying(std::span<const Vertex>(found.depth.data(), found.depth.size()));
    if (world.rank() == 0) searched = {std::move(depths), records, across};
  });
  return searched;
}

}  // namespace

TEST_CASE("whatever routes leave out, a search finds the same") {
  for (const Direction direction : {Direction::push, Direction::automatic}) {
    const Searched expected = search_on("1", "direct", "", direction);
    for (const std::string machine : {"2", "3", "3+2", "1+4+2", "2x2x2"})
      for (const std::string route : {"direct", "aml", "aml-levels", "row", "mst", "mst-levels", "domain", "auto"})
        for (const std::string without : {"merging", "claims", "closing", "merging,claims,closing"}) {
          if (shapes::kSanitized && (without != "merging,claims,closing" || machine == "3+2")) continue;
          CAPTURE(machine);
          CAPTURE(route);
          CAPTURE(without);
          CHECK(search_on(machine, route, without, direction).depths == expected.depths);
        }
  }
}

TEST_CASE("with claims a rank sends a vertex once, without them, and on the published routes, once for each edge") {
  for (const std::string machine : {"2", "5", "3+2", "1+4+2", "2x2x4"}) {
    CAPTURE(machine);
    const Searched claims = search_on(machine, "domain", "merging,closing");
    CHECK(claims.records > 0);
    CHECK(claims.records < static_cast<std::uint64_t>(claims.across));
    for (const std::string route : {"aml", "mst"}) {
      CAPTURE(route);
      const Searched published = search_on(machine, route, "");
      CHECK(published.records == static_cast<std::uint64_t>(published.across));
    }
    for (const std::string route : {"direct", "aml-levels", "row", "mst-levels", "domain", "auto"}) {
      CAPTURE(route);
      const Searched each = search_on(machine, route, "claims");
      CHECK(each.records == static_cast<std::uint64_t>(each.across));
      CHECK(each.across == claims.across);
    }
    for (const std::string route : {"aml-levels", "row", "domain"}) {
      CAPTURE(route);
      CHECK(search_on(machine, route, "").records == claims.records);
    }
  }
}
