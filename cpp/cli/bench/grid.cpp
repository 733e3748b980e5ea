// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12
#pragma GCC diagnostic ignored "-Wrestrict"  // GCC 12 takes "x" + std::string of a header for an overlapping copy
#endif
#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/apsp/floyd_warshall/modelled_grid.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <cli/cli11.hpp>
#include <cmath>

#include "cli/command.hpp"
#include "cli/verbs.hpp"

// All pairs over grids of ranks larger than this machine, in virtual time: COAST, Figures 7 and 9.
namespace atl::cli {
namespace {

struct GridBenchOptions {
  std::string sweep = "scaling", platform = "frontier";
  std::string grid = "auto", placement = "auto", broadcast = "auto";
  std::int64_t n = 32768, block = 0, steps = 16, chunk_kib = -1;
  ModelledKernels kernels = {.rate = 15.56e12, .half_depth = 70};  // the paper's table V
  double simple_rate = 14.8e12;                                    // of its products that are not the tuned NT
  double jitter = 0.5, slow = 4;
  int seeds = 5;
};

constexpr Rank kNode = 8;  // ranks
constexpr BroadcastShape kShapes[] = {BroadcastShape::tree, BroadcastShape::ring, BroadcastShape::ring2m};

// The model's parameters of the platform.
ApspMachine machine_of(const Machine& platform, const ModelledKernels& kernels) {
  ApspMachine m;
  m.name = "bench grid";
  m.element_bytes = static_cast<std::size_t>(std::lround(kernels.value_bytes));
  m.rate_of_block = {kernels.rate, kernels.half_depth};
  m.rate_of_size = {kernels.rate, 0};
  m.diagonal_rate = kernels.diagonal_rate > 0 ? kernels.diagonal_rate : kernels.rate;
  m.take_links(platform, kNode);
  return m;
}

NodeShape nodes_of(Rank ranks, const Machine& platform) {
  if (ranks <= kNode || ranks % kNode != 0) return {};
  return {.ranks = kNode, .cards = platform.cost.at(1).cards};
}

GridConstraints constraints_of(const GridBenchOptions& o) {
  GridConstraints constraints{.block = o.block};
  if (o.grid != "auto") constraints.shape = grid_shape_of("--grid", o.grid);
  if (o.placement != "auto") constraints.placement = grid_shape_of("--placement", o.placement);
  if (o.broadcast != "auto") constraints.panels = broadcast_named(o.broadcast);
  if (o.chunk_kib >= 0) constraints.chunk_bytes = static_cast<std::size_t>(o.chunk_kib) << 10;
  return constraints;
}

struct Simulated {
  double seconds = 0, operations = 0;
  double wait = 0;  // of a rank, mean
  double rate(Rank ranks) const { return operations / seconds / ranks; }
};

Simulated simulate(const ProcessGrid& grid, const Machine& platform, std::int64_t n, const GridOptions& plan,
                   const ModelledKernels& kernels) {
  const Rank ranks = grid.size();
  const Hierarchy hierarchy = nodes_of(ranks, platform).ranks > 1
                                  ? Hierarchy::parse(fmt::format("{}x{}", ranks / kNode, kNode))
                                  : Hierarchy::flat(ranks);
  Simulated simulated;
  run_virtual(hierarchy, platform, {}, [&](World& world) {
    const GridRun run = modelled_floyd_warshall(world, GridLayout(n, plan.block, grid), plan, kernels);
    const double seconds = world.max(run.seconds), wait = world.sum(run.sum().wait) / ranks;
    if (world.rank() == 0) simulated = {seconds, run.operations, wait};
  });
  return simulated;
}

// Steps are counted in blocks of the paper's size, so that every block size simulates the same amount of work.
constexpr std::int64_t kStepRows = 768;

GridOptions options_of(const std::string& variant, const GridPlan& plan, const GridBenchOptions& o) {
  GridOptions options = GridOptions::ablation(variant);
  plan.apply_to(options);
  options.steps = std::max<std::int64_t>(2, o.steps * kStepRows / options.block);
  return options;
}

// The plan of a variant, which fixes its broadcast and chunks; the model chooses coast's.
GridPlan plan_of(const std::string& variant, std::int64_t n, Rank ranks, const Machine& platform,
                 const ModelledKernels& kernels, const GridBenchOptions& o) {
  GridConstraints constraints = constraints_of(o);
  if (variant != "coast") {
    const GridOptions options = GridOptions::ablation(variant);
    if (!constraints.panels) constraints.panels = options.panels;
    if (!constraints.chunk_bytes) constraints.chunk_bytes = options.chunk_bytes;
  }
  return plan_grid(machine_of(platform, kernels), n, ranks, nodes_of(ranks, platform), constraints);
}

std::int64_t grown(const GridBenchOptions& o, Rank ranks) {
  return static_cast<std::int64_t>(static_cast<double>(o.n) * std::cbrt(ranks));
}

// Weak scaling: the same number of operations per rank at every size.
void scale(const GridBenchOptions& o, Rank most, Outcome& out) {
  const Machine platform = read_machine(o.platform, 2);
  out.text = fmt::format("{:<8} {:>6} {:>9} {:>8} {:>6} {:>14} {:>11} {:>8}\n", "plan", "ranks", "n", "grid", "block",
                         "Tops/s a rank", "efficiency", "waiting");
  for (const std::string& name : GridOptions::ablations()) {
    ModelledKernels kernels = o.kernels;
    if (GridOptions::ablation(name).kernel == GridOptions::Kernel::simple) kernels.rate = o.simple_rate;
    double alone = 0;
    for (Rank ranks = 1; ranks <= most; ranks *= 4) {
      const std::int64_t n = grown(o, ranks);
      const GridPlan plan = plan_of(name, n, ranks, platform, kernels, o);
      const Simulated s = simulate(plan.grid, platform, n, options_of(name, plan, o), kernels);
      const double rate = s.rate(ranks);
      if (ranks == 1) alone = rate;
      out.result["scaling"].push_back({{"plan", name},
                                       {"ranks", ranks},
                                       {"n", n},
                                       {"chosen", plan.to_json()},
                                       {"operations_per_second_and_rank", rate},
                                       {"efficiency", rate / alone},
                                       {"waiting", s.wait / s.seconds}});
      out.text += fmt::format("{:<8} {:>6} {:>9} {:>8} {:>6} {:>14.2f} {:>9.1f} % {:>6.1f} %\n", name, ranks, n,
                              fmt::format("{}x{}", plan.grid.rows, plan.grid.cols), plan.block, rate / 1e12,
                              100 * rate / alone, 100 * s.wait / s.seconds);
    }
  }
}

// Compares the model's choice with all grids of that many ranks, blocks around it and broadcasts: how much is lost by
// not trying them.
void compare_plans(const GridBenchOptions& o, Rank ranks, Outcome& out) {
  const Machine platform = read_machine(o.platform, 2);
  const std::int64_t n = grown(o, ranks);
  const auto rate_of = [&](const GridPlan& plan) {
    return simulate(plan.grid, platform, n, options_of("coast", plan, o), o.kernels).rate(ranks);
  };
  const GridPlan chosen = plan_of("coast", n, ranks, platform, o.kernels, o);
  const double of_chosen = rate_of(chosen);
  double best = of_chosen;
  out.result["chosen"] = chosen.to_json();
  out.result["chosen"]["operations_per_second_and_rank"] = of_chosen;
  const auto row = [](const GridPlan& plan, double rate) {
    return fmt::format("{:>8} {:>6} {:>7} {:>14.3f} {:>12.4g} s", fmt::format("{}x{}", plan.grid.rows, plan.grid.cols),
                       plan.block, name_of(plan.panels), rate / 1e12, plan.expected_s);
  };
  out.text = fmt::format("{} ranks, n = {}: {}\n{:>8} {:>6} {:>7} {:>14} {:>14}\n{} (chosen)\n", ranks, n,
                         chosen.text(), "grid", "block", "panels", "Tops/s a rank", "expected", row(chosen, of_chosen));
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0 || std::max(rows, ranks / rows) > 8 * std::min(rows, ranks / rows)) continue;
    for (const std::int64_t block : {128, 256, 512, 768, 1024, 1536, 2048})
      for (const BroadcastShape shape : kShapes) {
        if (o.broadcast != "auto" && o.broadcast != name_of(shape)) continue;
        GridBenchOptions tried = o;
        tried.grid = fmt::format("{}x{}", rows, ranks / rows);
        tried.block = block;
        tried.broadcast = name_of(shape);
        const GridPlan plan = plan_of("coast", n, ranks, platform, o.kernels, tried);
        const double rate = rate_of(plan);
        best = std::max(best, rate);
        out.result["tried"].push_back({{"grid", {rows, ranks / rows}},
                                       {"block", block},
                                       {"broadcast", tried.broadcast},
                                       {"expected", plan.expected_s},
                                       {"operations_per_second_and_rank", rate}});
        out.text += row(plan, rate) + "\n";
      }
  }
  out.result["of_best"] = of_chosen / best;
  out.text += fmt::format("the choice reaches {:.1f} % of the best\n", 100 * of_chosen / best);
}

// Compares placements of a node's ranks in the grid and their use of its cards: along the rows, or as a Latin square.
void compare_placements(const GridBenchOptions& o, Rank ranks, Outcome& out) {
  const Machine platform = read_machine(o.platform, 2);
  const std::int64_t n = grown(o, ranks);
  const NodeShape nodes = nodes_of(ranks, platform);
  if (nodes.ranks == 1)
    throw UsageError(
        fmt::format("--ranks {} (placements are of whole nodes of {} ranks, more than one). Take a "
                    "multiple.",
                    ranks, kNode));
  GridBenchOptions asked = o;
  asked.placement = "auto";
  const GridPlan chosen = plan_of("coast", n, ranks, platform, o.kernels, asked);
  out.text = fmt::format("{} ranks, n = {}: {}\n{:>9} {:>7} {:>14} {:>8}\n", ranks, n, chosen.text(), "placement",
                         "cards", "Tops/s a rank", "waiting");
  for (int rows = 1; rows <= nodes.ranks; ++rows) {
    if (nodes.ranks % rows != 0 || chosen.grid.rows % rows != 0 || chosen.grid.cols % (nodes.ranks / rows) != 0)
      continue;
    for (const bool latin : {false, true}) {
      if (latin && nodes.cards == 1) continue;
      GridPlan plan = chosen;
      plan.grid.node_rows = rows;
      plan.grid.node_cols = nodes.ranks / rows;
      plan.grid.cards = latin ? nodes.cards : 1;
      const Simulated s = simulate(plan.grid, platform, n, options_of("coast", plan, o), o.kernels);
      const bool is_chosen = plan.grid == chosen.grid;
      const std::string order = nodes.cards == 1 ? "one" : latin ? "latin" : "rows";
      out.result["placements"].push_back({{"placement", {rows, nodes.ranks / rows}},
                                          {"cards", order},
                                          {"operations_per_second_and_rank", s.rate(ranks)},
                                          {"seconds", s.seconds},
                                          {"waiting", s.wait / s.seconds},
                                          {"chosen", is_chosen}});
      out.text += fmt::format("{:>9} {:>7} {:>14.3f} {:>6.1f} %{}\n", fmt::format("{}x{}", rows, nodes.ranks / rows),
                              order, s.rate(ranks) / 1e12, 100 * s.wait / s.seconds, is_chosen ? "  (chosen)" : "");
    }
  }
}

struct Spread {
  double mean = 0, deviation = 0;
};
Spread spread_of(const std::vector<double>& values) {
  Spread s;
  for (const double v : values) s.mean += v / static_cast<double>(values.size());
  for (const double v : values) s.deviation += (v - s.mean) * (v - s.mean) / static_cast<double>(values.size());
  s.deviation = std::sqrt(s.deviation);
  return s;
}

// Broadcasts over links with jitter, one of which is slow: another one for each seed.
void disturb(const GridBenchOptions& o, Rank ranks, Outcome& out) {
  const std::int64_t n = grown(o, ranks);
  out.text = fmt::format("{:<9} {:>12} {:>10} {:>8} {:>8}\n", "broadcast", "chunk", "seconds", "spread", "hidden");
  for (const auto shape : kShapes)
    for (const std::size_t chunk : {0, 16 << 20, 4 << 20, 1 << 20, 256 << 10}) {
      std::vector<double> seconds;
      double with = 0, without = 0;
      for (int seed = 1; seed <= o.seeds; ++seed) {
        Machine platform = read_machine(o.platform, 2);
        platform.noise.jitter = o.jitter;
        platform.noise.seed = static_cast<std::uint64_t>(seed);
        if (o.slow > 1) platform.noise.slow_links = {{0, seed * 37 % ranks, o.slow}};
        GridBenchOptions asked = o;
        asked.broadcast = name_of(shape);
        GridPlan plan = plan_of("coast", n, ranks, platform, o.kernels, asked);
        plan.chunk_bytes = chunk;
        GridOptions options = options_of("coast", plan, o);
        const Simulated ahead = simulate(plan.grid, platform, n, options, o.kernels);
        options.look_ahead = GridOptions::LookAhead::off;
        const Simulated bare = simulate(plan.grid, platform, n, options, o.kernels);
        seconds.push_back(ahead.seconds);
        with += ahead.wait;
        without += bare.wait;
      }
      const Spread spread = spread_of(seconds);
      const double hidden = without > 0 ? 1 - with / without : 1;
      out.result["broadcasts"].push_back({{"broadcast", name_of(shape)},
                                          {"chunk_bytes", chunk},
                                          {"ranks", ranks},
                                          {"n", n},
                                          {"seconds", spread.mean},
                                          {"deviation", spread.deviation},
                                          {"hidden", hidden}});
      out.text += fmt::format("{:<9} {:>12} {:>10.4f} {:>6.2f} % {:>6.1f} %\n", name_of(shape),
                              chunk ? fmt::format("{} KiB", chunk >> 10) : "whole", spread.mean,
                              100 * spread.deviation / spread.mean, 100 * hidden);
    }
}

}  // namespace

int bench_grid(const Words& words) {
  Command command(
      "bench grid",
      "All pairs over a grid of ranks that are not here, in virtual time; kernels take what a model says.\n"
      "Grid, block, broadcast, chunk and placement are the model's where they are not said. --ranks is the most\n"
      "of scaling (default 1024, a power of four), and the number of the other sweeps (default 64).");
  GridBenchOptions o;
  CLI::App& app = command.app();
  app.add_option(
         "--sweep", o.sweep,
         "scaling: each plan from 1 rank on, with as much work a rank (Figure 7); broadcasts: shapes and chunks "
         "over uneven links (Figure 9); plans: the model's choice beside other grids, blocks and broadcasts; "
         "placement: where "
         "the ranks of a node of eight lie, and the order of its cards")
      ->check(CLI::IsMember({"scaling", "broadcasts", "plans", "placement"}));
  app.remove_option(app.get_option("--platform"));
  app.add_option("--platform", o.platform, "frontier, commodity, or a JSON file of two levels (default frontier)");
  app.add_option("--n", o.n, "vertices for one rank; n grows as its cube root with the ranks (default 32768)")
      ->check(CLI::PositiveNumber);
  app.add_option("--block", o.block, "b (default: the model's)")->check(CLI::PositiveNumber);
  app.add_option("--grid", o.grid, "rows x columns of ranks, as 8x8 (default auto)");
  app.add_option("--placement", o.placement, "rows x columns of a node's ranks in the grid, as 2x4 (default auto)");
  app.add_option("--broadcast", o.broadcast, "tree ring ring2m (default auto: the variant's, of coast the model's)")
      ->check(CLI::IsMember({"auto", "tree", "ring", "ring2m"}));
  app.add_option("--chunk", o.chunk_kib, "KiB of a panel that travel at a time; 0: all (default: as --broadcast)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30));
  app.add_option("--steps", o.steps, "so many times 768 rows are simulated, in steps of b (default 16)")
      ->check(CLI::PositiveNumber);
  app.add_option("--rate", o.kernels.rate, "operations a second of a rank in deep products (default 15.56e12)")
      ->check(CLI::PositiveNumber);
  app.add_option("--half-depth", o.kernels.half_depth, "depth at which half of it is reached (default 70)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--simple-rate", o.simple_rate, "the rate of the plans that are not tuned (default 14.8e12)")
      ->check(CLI::PositiveNumber);
  app.add_option("--jitter", o.jitter, "broadcasts: mean lengthening of a message by chance (default 0.5)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--slow", o.slow, "broadcasts: by how much one rank's link is slower (default 4)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seeds", o.seeds, "broadcasts: how many runs (default 5)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run_alone([&] {
    const bool scaling = o.sweep == "scaling";
    const Rank most = command.ranks() > 0 ? command.ranks() : scaling ? 1024 : 64;
    Rank power = 1;
    while (power < most) power *= 4;
    if (scaling && power != most)
      throw UsageError(fmt::format("--ranks {} (scaling goes by fours, from 1 on). Take {}.", most, power));
    Outcome out;
    out.input = {{"platform", o.platform},
                 {"ranks", most},
                 {"n", o.n},
                 {"block", o.block},
                 {"steps", o.steps},
                 {"rate", o.kernels.rate},
                 {"half_depth", o.kernels.half_depth}};
    if (scaling) {
      scale(o, most, out);
    } else if (o.sweep == "broadcasts") {
      disturb(o, most, out);
    } else if (o.sweep == "plans") {
      compare_plans(o, most, out);
    } else {
      compare_placements(o, most, out);
    }
    out.extra["predicted"] = true;
    return out;
  });
}

}  // namespace atl::cli
