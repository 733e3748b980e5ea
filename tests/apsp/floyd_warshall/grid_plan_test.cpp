// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/apsp/floyd_warshall/modelled_grid.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <nlohmann/json.hpp>

using namespace atl;

namespace {

ApspMachine some_machine() { return usual_machine(Element::float32, 1e11); }

}  // namespace

TEST_CASE("any number of ranks gets a plan: the least expected time of all grids and blocks") {
  for (const Rank ranks : {1, 2, 3, 4, 5, 6, 7, 8, 13, 24, 97, 256})
    for (const std::int64_t n : {1, 5, 300, 5000}) {
      const GridPlan plan = plan_grid(some_machine(), n, ranks, {}, {});
      CAPTURE(ranks);
      CAPTURE(n);
      CHECK(plan.grid.size() == ranks);
      CHECK(plan.block >= 1);
      CHECK(plan.block <= n);
      if (plan.next.shape.rows > 0) CHECK(plan.expected_s <= plan.next.expected_s);
      for (int rows = 1; rows <= ranks; ++rows)
        if (ranks % rows == 0)
          for (const std::int64_t block : {64, 128, 512}) {
            const GridPlan other =
                plan_grid(some_machine(), n, ranks, {}, {.shape = GridShape{rows, ranks / rows}, .block = block});
            if (block <= n) CHECK(other.block == block);
            CHECK(plan.expected_s <= other.expected_s * (1 + 1e-12));
          }
    }
  const GridPlan sixteen = plan_grid(some_machine(), 8192, 16, {}, {});
  CHECK(sixteen.grid.rows == 4);
}

TEST_CASE("a run uses the plan that is predicted") {
  ApspMachine network = some_machine();
  network.latency_s = 2e-6;
  for (BroadcastModel& panels : network.broadcasts) panels.bytes_per_second = {1e9, 1e6};
  ApspMachine one_memory = some_machine();
  one_memory.overlap = kOverlapInOneMemory;
  for (BroadcastModel& panels : one_memory.broadcasts) panels.sends = 0;
  for (const ApspMachine& machine : {some_machine(), network, one_memory})
    for (const Rank ranks : {1, 2, 3, 4, 5, 6, 8, 13, 16, 24, 64})
      for (const std::int64_t n : {1, 63, 64, 65, 300, 1000, 4096, 40'000}) {
        CAPTURE(ranks);
        CAPTURE(n);
        const ApspPrediction predicted = predict_apsp(machine, {.n = n, .ranks = ranks}).front();
        const GridPlan plan = plan_grid(machine, n, ranks, {}, {});
        CHECK(plan.grid.rows == predicted.plan.grid.rows);
        CHECK(plan.grid.cols == predicted.plan.grid.cols);
        CHECK(plan.block == predicted.plan.block);
        if (ranks > 1) CHECK(name_of(plan.panels) == predicted.plan.broadcast);
        CHECK(plan.expected_s == predicted.expected_s);
      }
}

TEST_CASE("constraints are kept, and contradictory ones are rejected") {
  const GridConstraints all{.shape = GridShape{2, 8},
                            .placement = GridShape{1, 4},
                            .block = 96,
                            .panels = BroadcastShape::tree,
                            .chunk_bytes = 12345};
  const GridPlan plan = plan_grid(some_machine(), 4000, 16, {.ranks = 4, .cards = 2}, all);
  CHECK(plan.grid == ProcessGrid{2, 8, 1, 4, 2});
  GridOptions options;
  plan.apply_to(options);
  CHECK(options.block == 96);
  CHECK(options.panels == BroadcastShape::tree);
  CHECK(options.chunk_bytes == 12345);
  CHECK(plan.to_json()["placement"] == nlohmann::json({1, 4}));
  // Unconstrained: as square as the grid.
  CHECK(plan_grid(some_machine(), 8192, 64, {.ranks = 4}, {}).grid.node_rows == 2);
  const auto refused = [](Rank ranks, NodeShape nodes, const GridConstraints& wishes, const char* text) {
    CHECK_THROWS_WITH_AS(plan_grid(some_machine(), 100, ranks, nodes, wishes), doctest::Contains(text), UsageError);
  };
  refused(6, {}, {.shape = GridShape{2, 2}}, "the grid is 2 x 2 (there are 6 ranks)");
  refused(8, {.ranks = 4}, {.placement = GridShape{3, 2}}, "a node has 4");
  refused(8, {}, {.placement = GridShape{2, 2}}, "it is 1 x 1");
  refused(8, {.ranks = 4}, {.shape = GridShape{1, 8}, .placement = GridShape{2, 2}}, "must divide");
  CHECK(grid_shape_of("--grid", "12x3") == GridShape{12, 3});
  for (const char* text : {"", "3", "3x", "0x4", "2x4x", "axb"})
    CHECK_THROWS_AS(grid_shape_of("--grid", text), UsageError);
}

TEST_CASE("ranks agree on one plan, whatever each of them knows about the machine") {
  for (const Rank ranks : {1, 2, 3, 4, 5, 8}) {
    Plan plan;
    plan.threads = 1;
    run_ranks(ranks, plan, [&](World& world) {
      std::optional<ApspMachine> machine;
      if (world.rank() % 2 == 1) machine = some_machine();
      const Gemm gemm({Semiring::min_plus, Element::int32});
      const GridPlan mine = agree_on_grid(world, machine, gemm, 777, {});
      CHECK(mine.rates == GridPlan::Rates::usual);  // rank 0 knows nothing
      const std::string text = mine.to_json().dump();
      CHECK(world.all_gather(std::hash<std::string>()(text)) ==
            std::vector<std::size_t>(static_cast<std::size_t>(ranks), std::hash<std::string>()(text)));
      CHECK_THROWS_AS(agree_on_grid(world, machine, gemm, 777, {.shape = GridShape{3, 3}}), UsageError);
    });
  }
}

TEST_CASE("nodes are the leaf domains if those have equal sizes and consecutive ranks") {
  const std::vector<LevelCost> costs{{1e-6, 1e9, 0}, {1e-6, 1e9, 0}};
  for (const auto& [text, ranks] : {std::pair{"2x4", 4}, {"3x2", 2}, {"3+2", 1}})
    run_virtual(Hierarchy::parse(text), costs, {},
                [&, expected = ranks](World& world) { CHECK(node_shape_of(world).ranks == expected); });
}

TEST_CASE("with several cards per node, a Latin square communicates faster than row-major order") {
  // The uplink of a card is the bottleneck: nothing is computed in between.
  const std::vector<LevelCost> costs{{1e-6, 1e12, 0}, {1e-6, 1e9, 0, 4}};
  GridOptions options;
  options.block = 64;
  options.panels = BroadcastShape::ring;
  const auto seconds = [&](ProcessGrid grid) {
    double longest = 0;
    run_virtual(Hierarchy::parse("4x16"), costs, {}, [&](World& world) {
      const GridRun run =
          modelled_floyd_warshall(world, GridLayout(2048, options.block, grid), options, {.rate = 1e15});
      const double all = world.max(run.seconds);
      if (world.rank() == 0) longest = all;
    });
    return longest;
  };
  const double rows = seconds({8, 8, 4, 4, 1}), latin = seconds({8, 8, 4, 4, 4});
  MESSAGE("along the rows ", rows, " s, Latin square ", latin, " s");
  CHECK(latin < 0.8 * rows);
}
