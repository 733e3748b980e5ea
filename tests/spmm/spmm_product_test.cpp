// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/spmm/spmm_product.hpp>
#include <cstring>

#include "shapes.hpp"
#include "spmm/dense_part.hpp"

using namespace atl;
using dense_part::Part;
using dense_part::wrong_in;

namespace {

using Algorithm = SpmmStrategy::Algorithm;

Plan over(const char* domains) {
  Plan plan;
  plan.threads = 1;
  plan.domains = domains;
  plan.timeout_seconds = 120;
  return plan;
}

}  // namespace

TEST_CASE("blocks of columns give the same bits as all at once, and need buffers for a block alone") {
  for (const auto& [ranks, domains] : {std::pair{1, ""}, {3, ""}, {4, "2x2"}, {7, "4+2+1"}})
    run_ranks(ranks, over(domains), [&](World& world) {
      constexpr std::int64_t kColumns = 45;
      const Blocks blocks = random_rows::blocks(world.size());
      const auto own = blocks.size(world.rank());
      const auto rows = [&] { return random_rows::rows<float>(blocks, world.rank()); };
      Part<float> b(own, kColumns);
      for (std::size_t i = 0; i < b.values.size(); ++i)  // sums that are rounded
        b.values[i] = static_cast<float>(random_at(static_cast<std::uint64_t>(world.rank()), i) >> 40) * 0x1.3p-20F;
      for (const SpmmStrategy& strategy : spmm_strategies()) {
        CAPTURE(std::string(strategy.name));
        SpmmProduct<float> whole(world, rows(), strategy);
        Part<float> want(own, kColumns), exact(own, kColumns), exact_b(own, kColumns);
        whole(b.view(), want.view());
        exact_b.fill(blocks.begin(world.rank()), 1);
        for (const std::int64_t block : {1, 7, 16, 45, 100}) {
          CAPTURE(block);
          SpmmProduct<float> parts(world, rows(), strategy, {.column_block = block});
          Part<float> c(own, kColumns);
          // One column is summed as by a vector; partial rows are added in the order of their arrival.
          if (strategy.algorithm == Algorithm::rows_1d && strategy.fetch != SpmmStrategy::Fetch::joint && block > 1) {
            parts(b.view(), c.view());
            const std::size_t bytes = c.values.size() * sizeof(float);
            CHECK(c.values.size() == want.values.size());
            CHECK((bytes == 0 || std::memcmp(c.values.data(), want.values.data(), bytes) == 0));
          }
          parts(exact_b.view(), c.view());
          CHECK(wrong_in(c.view(), blocks, world.rank(), 1, Reduce::sum, true) == 0);
          // Only the rows, not what says where they go, are as many whatever the blocks are.
          if (strategy.algorithm != Algorithm::summa_2d)
            CHECK(parts.volume(kColumns).sent == whole.volume(kColumns).sent);
        }
      }
    });
}

TEST_CASE("the memory of a product in blocks does not grow with the columns of B") {
  run_ranks(4, over("2x2"), [](World& world) {
    const Blocks blocks{std::vector<Vertex>{0, 300, 600, 900, 1200}};
    for (const SpmmStrategy& strategy : spmm_strategies()) {
      CAPTURE(std::string(strategy.name));
      SpmmProduct<double> spmm(world, dense_part::full_columns<double>(blocks, world.rank()), strategy,
                               {.column_block = 8});
      std::size_t first = 0;
      for (const std::int64_t columns : {8, 64, 256}) {
        Part<double> b(300, columns), c(300, columns);
        b.fill(blocks.begin(world.rank()), 1);
        spmm(b.view(), c.view());
        if (first == 0) first = spmm.memory_bytes();
        CHECK(spmm.memory_bytes() == first);
      }
    }
  });
}

TEST_CASE("what a product sends by level is what its volume and the counters say") {
  for (const auto& [ranks, domains] : {std::pair{4, "2x2"}, {6, "3x2"}, {8, "2x2x2"}, {7, "4+3"}, {16, "4x4"}})
    run_ranks(ranks, over(domains), [&](World& world) {
      constexpr std::int64_t kColumns = 12;
      const Blocks blocks = random_rows::blocks(world.size());
      const auto own = blocks.size(world.rank());
      Part<float> b(own, kColumns), c(own, kColumns);
      b.fill(blocks.begin(world.rank()), 1);
      for (const SpmmStrategy& strategy : spmm_strategies()) {
        CAPTURE(std::string(strategy.name));
        SpmmProduct<float> spmm(world, random_rows::rows<float>(blocks, world.rank()), strategy);
        const std::vector<std::uint64_t> levels = spmm.traffic(kColumns);
        const SpmmBytes bytes = spmm.volume(kColumns);
        CHECK(bytes.coarse == static_cast<double>(blocks.count() * (world.size() - 1) * kColumns) * sizeof(float));
        CHECK(world.sum(static_cast<double>(levels.back())) == bytes.crossing);
        world.barrier();
        const Counters before = world.counters();
        spmm(b.view(), c.view());
        const Counters sent = world.counters().since(before);
        for (std::size_t l = 0; l < levels.size(); ++l) CHECK(levels[l] <= sent.levels[l].bytes);
        if (strategy.algorithm == Algorithm::rows_1d) {
          using Fetch = SpmmStrategy::Fetch;
          if (strategy.fetch == Fetch::blocks) {
            // All rows cross into each domain once; inside, as many as ranks need.
            const auto tree = world.hierarchy();
            double domains = 1;
            for (Rank r = 1; r < ranks; ++r) domains += tree.level_between(r - 1, r) == tree.depth() - 1;
            CHECK(bytes.crossing == static_cast<double>(blocks.count() * kColumns) * (domains - 1) * sizeof(float));
            CHECK(bytes.sent >= std::max(bytes.crossing, bytes.column_wise));
          } else if (strategy.fetch == Fetch::joint) {
            // How many is count_joint()'s to say (volume_test).
            CHECK(bytes.sent > 0);
            CHECK(bytes.sent <= bytes.column_wise);
          } else {
            CHECK(bytes.sent == (strategy.fetch == Fetch::all        ? bytes.coarse
                                 : strategy.fetch == Fetch::nonzeros ? bytes.row_wise
                                                                     : bytes.column_wise));
          }
        }
        if (strategy.algorithm == Algorithm::summa_2d) {
          SummaSpmm<float> summa(world, random_rows::rows<float>(blocks, world.rank()));
          CHECK(bytes.sent == static_cast<double>(summa.volume(kColumns).total()));
          // The grid of 2 x 2 has a domain in each of its rows: only B goes along its columns.
          if (ranks == 4) CHECK(bytes.crossing == static_cast<double>(blocks.count() * kColumns) * sizeof(float));
        }
        if (strategy.algorithm == Algorithm::replicated_1_5d) {
          const Rank c_ranks = ranks == 4 || ranks == 6 || ranks == 8 ? 2 : ranks == 16 ? 4 : 1;
          ReplicatedSpmm<float> spmm_2(world, random_rows::rows<float>(blocks, world.rank()), c_ranks);
          CHECK(bytes.sent == static_cast<double>(spmm_2.volume(kColumns).total()));
        }
      }
    });
}

TEST_CASE("on a virtual clock every algorithm takes the device's time for what it multiplies") {
  const Hierarchy tree = Hierarchy::parse("2x2");
  Machine machine = Cost::paper(2);
  machine.device =
      DeviceRates{.flops_per_second = 1e30, .memory_bytes_per_second = 1};  // a second for each byte of its memory
  const Blocks blocks = random_rows::blocks(4);
  double nonzeros = 0;
  for (Vertex i = 0; i < blocks.count(); ++i)
    nonzeros += static_cast<double>(random_rows::row(i, blocks.count()).size());
  constexpr std::int64_t kColumns = 6;
  for (const SpmmStrategy& strategy : spmm_strategies()) {
    CAPTURE(std::string(strategy.name));
    double seconds = 0;
    run_virtual(tree, machine, over(""), [&](World& world) {
      const auto own = blocks.size(world.rank());
      SpmmProduct<double> spmm(world, random_rows::rows<double>(blocks, world.rank()), strategy);
      Part<double> b(own, kColumns), c(own, kColumns);
      b.fill(blocks.begin(world.rank()), 1);
      const Counters before = world.counters();
      spmm(b.view(), c.view());
      seconds += world.counters().since(before).time.compute;
      CHECK(wrong_in(c.view(), blocks, world.rank(), 1, Reduce::sum, true) == 0);
    });
    // In 2D a rank has some of the columns, and reads the whole block for them.
    const double slices = strategy.algorithm == Algorithm::summa_2d ? 2 : 1;
    CHECK(seconds == doctest::Approx(nonzeros * (slices * (4 + 8) + kColumns * 8)));
  }
}

TEST_CASE("a program takes its multiples of the roofline") {
  const Hierarchy tree = Hierarchy::parse("2x2");
  Machine machine = Cost::paper(2);
  machine.device = DeviceRates{.flops_per_second = 1e30, .memory_bytes_per_second = 1};
  const Blocks blocks = random_rows::blocks(4);
  constexpr std::int64_t kColumns = 6;
  const auto seconds = [&](SpmmStrategy strategy, const SpmmProgram& program) {
    strategy.program = program;
    double sum = 0;
    run_virtual(tree, machine, over(""), [&](World& world) {
      SpmmProduct<double> spmm(world, random_rows::rows<double>(blocks, world.rank()), strategy);
      Part<double> b(blocks.size(world.rank()), kColumns), c(blocks.size(world.rank()), kColumns);
      b.fill(blocks.begin(world.rank()), 1);
      const Counters before = world.counters();
      spmm(b.view(), c.view());
      sum += world.counters().since(before).time.compute;
      CHECK(wrong_in(c.view(), blocks, world.rank(), 1, Reduce::sum, true) == 0);
    });
    return sum;
  };
  const double row = kColumns * sizeof(double), rows = static_cast<double>(blocks.count());
  for (const SpmmStrategy& strategy : spmm_strategies()) {
    CAPTURE(std::string(strategy.name));
    const double product = seconds(strategy, {});
    CHECK(seconds(strategy, {.product = 3}) == doctest::Approx(3 * product));
    const double stages = seconds(strategy, {.stage = 2}) - product, copies = seconds(strategy, {.copy = 5}) - product;
    CHECK(stages >= 2 * 2 * rows * row);  // each row of C in a stage at least
    CHECK(copies >= 0);
    if (strategy.name == "broadcast") {
      CHECK(stages == doctest::Approx(2 * 2 * 4 * rows * row));
      CHECK(copies == doctest::Approx(5 * 3 * rows * row));
    }
    const SpmmProgram paper = spmm_program(strategy.name);
    CHECK(paper.product > 0);
    CHECK(seconds(strategy, paper) ==
          doctest::Approx(paper.product * product + paper.stage / 2 * stages + paper.copy / 5 * copies));
  }
}

TEST_CASE("options that a strategy does not have are refused on all ranks alike") {
  run_ranks(4, {}, [](World& world) {
    const Blocks blocks = random_rows::blocks(4);
    const auto product = [&](const char* strategy, const SpmmOptions& options) {
      SpmmProduct<float>(world, random_rows::rows<float>(blocks, world.rank()), spmm_strategy(strategy), options);
    };
    for (const char* name : {"broadcast-1.5d", "broadcast-2d"})
      CHECK_THROWS_AS(product(name, {.reduce = Reduce::max}), UsageError);
    for (const Rank replication : {1, 2, 4}) product("broadcast-1.5d", {.replication = replication});
    CHECK_THROWS_WITH_AS(product("broadcast-1.5d", {.replication = 3}), doctest::Contains("the replication is 3"),
                         UsageError);
    CHECK_THROWS_WITH_AS(product("cola", {.replication = 2}),
                         "SpMM: a replication of 2 with strategy cola (teams are those of broadcast-1.5d). Leave it "
                         "out, or take that strategy.",
                         UsageError);
    CHECK_THROWS_AS(product("halo", {.column_block = -1}), UsageError);
    CHECK_THROWS_AS(DistributedSpmm<float>(world, random_rows::rows<float>(blocks, world.rank()), Reduce::sum,
                                           spmm_strategy("broadcast-2d")),
                    InputError);
    SpmmProduct<float> spmm(world, random_rows::rows<float>(blocks, world.rank()), spmm_strategy("halo"),
                            {.column_block = 2});
    const auto own = blocks.size(world.rank());
    Part<float> wide(own, world.rank() == 0 ? 5 : 4), c(own, 4);
    CHECK_THROWS_AS(spmm(wide.view(), c.view()), InputError);
  });
}
