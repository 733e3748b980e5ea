// SPDX-License-Identifier: Apache-2.0
// Breadth-first search on graphs prepared in every way: partitions, fusion, fission, degree order.
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <string>
#include <vector>

#include "graph/cases.hpp"
#include "reference/bfs.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

struct Way {
  GraphOptions graph;
  Edge fission;
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const Partition p : {Partition::blocked, Partition::balanced, Partition::hashed, Partition::hierarchy})
    for (const Edge fission : {kNoFission, kUsualFission, Edge{1}, Edge{5}})
      for (const bool switches : {true, false}) {
        GraphOptions options;
        options.placement = {p, switches};
        options.degree_sort = switches;
        options.isolated = switches ? Isolated::drop : Isolated::keep;
        all.push_back({options, fission});
        if (fission != kNoFission) continue;
        for (const Cut cut : {Cut::cartesian, Cut::hybrid}) {
          options.placement.cut = cut;
          options.placement.heavy = 3;
          all.push_back({options, fission});
        }
      }
  return all;
}

// Depths in the order of ids, verified against the input. Collective.
std::vector<Vertex> verified_depths(World& world, EdgeList edges, const Way& way, Vertex source, Direction direction) {
  IdMap ids = assign(world, edges, number(world, edges), way.graph.placement);
  const Graph graph = Graph::build(world, edges, std::move(ids), way.graph);
  const BfsResult result = bfs(graph, source,
                               {.direction = direction,
                                .depths = Depths::yes,
                                .fission = way.fission,
                                .degree_order = way.fission == kUsualFission || (way.graph.placement.cut != Cut::edge &&
                                                                                 direction == Direction::push)});
  const BfsTreeReport report = verify_bfs(graph, source, {result.parent.data(), result.parent.size()},
                                          {result.depth.data(), result.depth.size()}, Tuples::of(edges),
                                          graph.directed() ? TupleKind::directed : TupleKind::undirected);
  CAPTURE(report.what);
  CHECK(report.ok);
  CHECK(report.reached == result.reached);
  const IdOrder order(world, graph.ids());
  const auto sorted = order.arrange(std::span<const Vertex>(result.depth.data(), result.depth.size()));
  return world.all_gather_varying(std::span<const Vertex>(sorted));
}

constexpr Direction kEachDirection[] = {Direction::automatic, Direction::push, Direction::pull};

}  // namespace

TEST_CASE("bfs finds the serial depths, and passes verification, however the graph is prepared") {
  int variant = 0;
  for (const cases::Case& c : cases::all()) {
    const auto ids = c.ids();
    std::vector<std::pair<Vertex, Vertex>> edges;
    const auto dense = [&](Vertex id) { return std::lower_bound(ids.begin(), ids.end(), id) - ids.begin(); };
    for (const auto& [u, v] : c.edges) edges.emplace_back(dense(u), dense(v));
    for (const bool directed : {false, true})
      for (const Vertex root : {Vertex{0}, static_cast<Vertex>(ids.size() / 2)}) {
        const auto expected = reference::bfs_depths(static_cast<Vertex>(ids.size()), edges, directed, root);
        for (const std::string domains : {"", "1+1", "3+1", "2x2", "1+3+1"})
          for (const Rank flat : shapes::kRanks)
            for (const Way& way : ways()) {
              if (!domains.empty() && flat != shapes::kRanks[0]) continue;
              const std::uint64_t dice = random_at(11, static_cast<std::uint64_t>(++variant));
              if (dice % (shapes::kSanitized ? 400 : way.graph.placement.cut == Cut::edge ? 25 : 8) != 0) continue;
              const Rank ranks = domains.empty() ? flat : Hierarchy::parse(domains).size();
              auto buffers = shapes::buffers();
              Plan plan = buffers[(dice >> 22) % buffers.size()].plan;
              plan.threads = (dice >> 40) % 3 == 0 && ranks <= 3 ? 2 : 1;
              plan.domains = domains;
              if (!domains.empty() && (dice >> 44) % 2)
                plan.route = Route::all_names()[(dice >> 48) % Route::all_names().size()];
              CAPTURE(c.name);
              CAPTURE(directed);
              CAPTURE(ranks);
              CAPTURE(domains);
              CAPTURE(plan.route);
              CAPTURE(static_cast<int>(way.graph.placement.partition));
              CAPTURE(static_cast<int>(way.graph.placement.cut));
              CAPTURE(way.fission);
              CAPTURE(way.graph.degree_sort);
              run_ranks(ranks, plan, [&](World& world) {
                CHECK(verified_depths(world,
                                      cases::slice(c, directed, cases::Weight::none, false, world.rank(), ranks,
                                                   cases::Distribution::spread),
                                      way, ids[static_cast<std::size_t>(root)],
                                      kEachDirection[(dice >> 52) % 3]) == expected);
              });
            }
      }
  }
}

TEST_CASE("fission reduces the records of a push and changes no depth, on every route, in virtual time") {
  for (const std::string& route : Route::all_names()) {
    CAPTURE(route);
    const Hierarchy hierarchy = Hierarchy::parse("2x4");
    Plan plan;
    plan.route = route;
    plan.threads = 1;
    std::vector<Vertex> plain, split;
    std::int64_t plain_records = 0, split_records = 0;
    for (const bool fission : {false, true})
      run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, "kron:11"));
        Bfs search(
            graph,
            {.direction = Direction::push, .depths = Depths::yes, .fission = fission ? kUsualFission : kNoFission});
        BfsResult result;
        const auto before = world.counters().records;
        search.run(1, result);
        const auto records = world.sum(static_cast<std::int64_t>(world.counters().records - before));
        const auto all = world.all_gather_varying(std::span<const Vertex>(result.depth.data(), result.depth.size()));
        if (world.rank() != 0) return;
        (fission ? split : plain) = all;
        (fission ? split_records : plain_records) = records;
      });
    CHECK(split == plain);
    CHECK(split_records < plain_records);
  }
}
