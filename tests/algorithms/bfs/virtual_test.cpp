// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

std::vector<std::string> routes() {
  std::vector<std::string> all = Route::all_names();
  all.emplace_back("auto");
  return all;
}

// Depths of all vertices from vertex 1 of a generated graph.
std::vector<Vertex> depths(World& world, Direction direction) {
  const Graph graph = Graph::build(world, generate(world, "kron:9:8:3"));
  const BfsResult found = bfs(graph, 1, {.direction = direction, .depths = Depths::yes});
  return world.all_gather_varying(std::span<const Vertex>(found.depth.data(), found.depth.size()));
}

}  // namespace

TEST_CASE("a search in virtual time agrees with one on threads, and its time is reproducible") {
  for (const Direction direction : {Direction::automatic, Direction::push, Direction::pull}) {
    std::vector<Vertex> expected;
    run_ranks(1, {}, [&](World& world) { expected = depths(world, direction); });
    for (const std::string domains : {"1", "2", "3", "4", "5", "3+2", "7", "2x2x2", "4x4", "2x40"}) {
      CAPTURE(domains);
      const Hierarchy hierarchy = Hierarchy::parse(domains);
      double seconds = -1;
      for (int time = 0; time < 2; ++time) {
        std::vector<Vertex> got;
        const VirtualRun run = run_virtual(hierarchy, Cost::paper(hierarchy.depth()), {}, [&](World& world) {
          std::vector<Vertex> mine = depths(world, direction);
          if (world.rank() == hierarchy.size() - 1) got = std::move(mine);
        });
        CHECK(got == expected);
        if (time == 1) CHECK(run.seconds == seconds);
        seconds = run.seconds;
      }
    }
  }
}

TEST_CASE("every route finds the same depths, on threads and in virtual time, whatever the domains") {
  for (const Direction direction : {Direction::automatic, Direction::push, Direction::pull}) {
    std::vector<Vertex> expected;
    run_ranks(1, {}, [&](World& world) { expected = depths(world, direction); });
    for (const std::string domains : {"1+1", "2+1", "2x2", "3+2", "4+2+1", "2x2x2", "4x4", "2x3x12"})
      for (const std::string& route : routes()) {
        if (shapes::kSanitized && (domains.size() % 2 == 0 || direction == Direction::automatic)) continue;
        CAPTURE(domains);
        CAPTURE(route);
        const Hierarchy hierarchy = Hierarchy::parse(domains);
        Plan plan;
        plan.route = route;
        plan.threads = 1;
        std::vector<Vertex> got;
        const auto search = [&](World& world) {
          std::vector<Vertex> mine = depths(world, direction);
          if (world.rank() == hierarchy.size() - 1) got = std::move(mine);
        };
        const VirtualRun run = run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, search);
        CHECK(got == expected);
        for (std::size_t level = 0; level < run.levels.size(); ++level) {
          CHECK(run.levels[level].messages == run.counters.levels[level].messages);
          CHECK(run.levels[level].bytes == run.counters.levels[level].bytes);
        }
        if (hierarchy.size() > 16) continue;
        plan.domains = domains;
        got.clear();
        run_ranks(hierarchy.size(), plan, search);
        CHECK(got == expected);
      }
  }
}

TEST_CASE("every route finds the same depths on every clock and number of ranks, and counts its messages") {
  std::vector<Vertex> expected;
  run_ranks(1, {}, [&](World& world) { expected = depths(world, Direction::automatic); });
  for (const std::string& clock : clocks())
    for (const std::string domains : {"1", "2", "3", "2x2", "3+2", "7", "2x2x2", "4x4", "5+1+7+3"})
      for (const std::string& route : routes()) {
        CAPTURE(clock);
        CAPTURE(domains);
        CAPTURE(route);
        const Hierarchy hierarchy = Hierarchy::parse(domains);
        Plan plan;
        plan.transport = clock;
        plan.route = route;
        std::vector<Vertex> got;
        const VirtualRun run = run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, [&](World& world) {
          std::vector<Vertex> mine = depths(world, Direction::automatic);
          if (world.rank() == hierarchy.size() - 1) got = std::move(mine);
        });
        CHECK(got == expected);
        for (std::size_t level = 0; level < run.levels.size(); ++level) {
          CHECK(run.levels[level].messages == run.counters.levels[level].messages);
          CHECK(run.levels[level].bytes == run.counters.levels[level].bytes);
        }
      }
}

TEST_CASE("a search that knows its levels one drain late counts as one that asks for each") {
  struct Counts {
    Vertex reached, found;
    Edge edges;
    int levels;
    std::size_t rounds;
    bool operator==(const Counts&) const = default;
  };
  const auto count = [](World& world, const std::string& graph_name, bool directed, Vertex source) {
    EdgeList list = generate(world, graph_name);
    list.directed = directed;
    const Graph graph = Graph::build(world, std::move(list), {.isolated = Isolated::keep});
    Bfs search(graph, {.direction = Direction::push});
    BfsResult result;
    for (int time = 0; time < 2; ++time) search.run(source, result);  // the second time over what the first has left
    Vertex found = result.rounds.between().found;
    result.rounds.for_each([&](std::size_t, const BfsRound& round) { found += round.found; });
    return Counts{result.reached, found, result.edges, result.levels, result.rounds.size()};
  };
  // With self-loops and vertices that no edge reaches; a path, whose levels are many; a star, whose levels are three.
  for (const std::string graph : {"kron:9:8:3", "kron:6:1:5", "path:40", "star:30", "ring:5"})
    for (const bool directed : {false, true})
      for (const Vertex source : {0, 3}) {
        CAPTURE(graph);
        CAPTURE(directed);
        CAPTURE(source);
        Counts expected{};
        run_ranks(1, {}, [&](World& world) { expected = count(world, graph, directed, source); });
        CHECK(expected.found + 1 == expected.reached);
        for (const std::string domains : {"1+1", "2+1", "2x2", "3+2", "2x2x2", "4+2+1", "2x3x4"})
          for (const std::string& route : routes()) {
            if (shapes::kSanitized && domains.size() % 2 == 0) continue;
            CAPTURE(domains);
            CAPTURE(route);
            Plan plan;
            plan.route = route;
            Counts got{};
            const Hierarchy hierarchy = Hierarchy::parse(domains);
            run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, [&](World& world) {
              const Counts mine = count(world, graph, directed, source);
              if (world.rank() == hierarchy.size() - 1) got = mine;
            });
            CHECK(got == expected);
          }
      }
}
