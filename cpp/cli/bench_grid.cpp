// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/modelled_grid.hpp>
#include <atoll/runtime/virtual_ranks.hpp>
#include <cmath>

#include "command.hpp"
#include "verbs.hpp"

// All pairs over grids of ranks that are not here, in virtual time: COAST, Figures 7 and 9.
namespace atl::cli {
namespace {

struct Options {
  std::string sweep = "scaling", platform = "frontier";
  std::int64_t n = 32768, block = 768, steps = 16;
  ModelledKernels kernels = {.rate = 15.56e12, .half_depth = 70};  // the paper's table V
  double simple_rate = 14.8e12;                                    // of its products that are not the tuned NT
  double jitter = 0.5, slow = 4;
  int seeds = 5;
};

constexpr Rank kNode = 8;  // ranks

// Ours, of the paper's table III: four network cards of 25 GB/s for the eight ranks of a node. And a cluster with a card of
// 12.5 GB/s for as many.
Platform platform_of(const std::string& name) {
  if (name == "frontier") return std::vector<LinkCost>{{2e-6, 50e9, 1e-6}, {5e-6, 100e9, 1e-6}};
  if (name == "commodity") return std::vector<LinkCost>{{2e-6, 10e9, 1e-6}, {20e-6, 12.5e9, 1e-6}};
  return read_platform(name, 2);
}

struct Simulated {
  double seconds = 0, operations = 0;
  double wait = 0;  // of a rank, mean
};

Simulated simulate(Rank ranks, const Platform& platform, std::int64_t n, const GridOptions& plan,
                   const ModelledKernels& kernels) {
  const int side = static_cast<int>(std::lround(std::sqrt(ranks)));
  ProcessGrid grid{.rows = side, .cols = side};
  if (ranks > kNode) grid.node_rows = 2, grid.node_cols = kNode / 2;
  const Hierarchy hierarchy =
      ranks > kNode ? Hierarchy::parse(fmt::format("{}x{}", ranks / kNode, kNode)) : Hierarchy::flat(ranks);
  Simulated simulated;
  run_virtual(hierarchy, platform, {}, [&](World& world) {
    const GridRun run = modelled_floyd_warshall(world, GridLayout(n, plan.block, grid), plan, kernels);
    const double seconds = world.max(run.seconds), wait = world.sum(run.sum().wait) / ranks;
    if (world.rank() == 0) simulated = {seconds, run.operations, wait};
  });
  return simulated;
}

GridOptions plan_of(const std::string& name, const Options& o) {
  GridOptions plan = GridOptions::ablation(name);
  plan.block = o.block;
  plan.steps = o.steps;
  return plan;
}

// As many operations a rank at every size.
void scale(const Options& o, Rank most, Outcome& out) {
  const Platform platform = platform_of(o.platform);
  out.text = fmt::format("{:<8} {:>6} {:>9} {:>14} {:>11} {:>8}\n", "plan", "ranks", "n", "Tops/s a rank", "efficiency",
                         "waiting");
  for (const std::string& name : GridOptions::ablations()) {
    ModelledKernels kernels = o.kernels;
    const GridOptions plan = plan_of(name, o);
    if (plan.kernel == GridOptions::Kernel::simple) kernels.rate = o.simple_rate;
    double alone = 0;
    for (Rank ranks = 1; ranks <= most; ranks *= 4) {
      const auto n = static_cast<std::int64_t>(static_cast<double>(o.n) * std::cbrt(ranks));
      const Simulated s = simulate(ranks, platform, n, plan, kernels);
      const double rate = s.operations / s.seconds / ranks;
      if (ranks == 1) alone = rate;
      out.result["scaling"].push_back({{"plan", name},
                                       {"ranks", ranks},
                                       {"n", n},
                                       {"operations_per_second_and_rank", rate},
                                       {"efficiency", rate / alone},
                                       {"waiting", s.wait / s.seconds}});
      out.text += fmt::format("{:<8} {:>6} {:>9} {:>14.2f} {:>9.1f} % {:>6.1f} %\n", name, ranks, n, rate / 1e12,
                              100 * rate / alone, 100 * s.wait / s.seconds);
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

// Broadcasts over links that jitter, one of which is slow: another one for each seed.
void disturb(const Options& o, Rank ranks, Outcome& out) {
  const auto n = static_cast<std::int64_t>(static_cast<double>(o.n) * std::cbrt(ranks));
  out.text = fmt::format("{:<9} {:>12} {:>10} {:>8} {:>8}\n", "broadcast", "chunk", "seconds", "spread", "hidden");
  for (const auto shape : {BroadcastShape::tree, BroadcastShape::ring, BroadcastShape::ring2m})
    for (const std::size_t chunk : {0, 16 << 20, 4 << 20, 1 << 20, 256 << 10}) {
      std::vector<double> seconds;
      double with = 0, without = 0;
      for (int seed = 1; seed <= o.seeds; ++seed) {
        Platform platform = platform_of(o.platform);
        platform.disturbance.jitter = o.jitter;
        platform.disturbance.seed = static_cast<std::uint64_t>(seed);
        if (o.slow > 1) platform.disturbance.slow = {{0, seed * 37 % ranks, o.slow}};
        GridOptions plan = plan_of("coast", o);
        plan.panels = shape;
        plan.chunk_bytes = chunk;
        const Simulated ahead = simulate(ranks, platform, n, plan, o.kernels);
        plan.look_ahead = GridOptions::LookAhead::off;
        const Simulated bare = simulate(ranks, platform, n, plan, o.kernels);
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
  Command command("bench grid",
                  "All pairs over a grid of ranks that are not here, in virtual time; kernels take what a model says.\n"
                  "--ranks is the most (default 1024, or 64 for broadcasts): a power of four.");
  Options o;
  CLI::App& app = command.app();
  app.add_option(
         "--sweep", o.sweep,
         "scaling: each plan from 1 rank on, with as much work a rank (Figure 7); broadcasts: shapes and chunks "
         "over uneven links (Figure 9)")
      ->check(CLI::IsMember({"scaling", "broadcasts"}));
  app.add_option("--platform", o.platform, "frontier, commodity, or a JSON file of two levels (default frontier)");
  app.add_option("--n", o.n, "vertices for one rank; n grows as its cube root with the ranks (default 32768)")
      ->check(CLI::PositiveNumber);
  app.add_option("--block", o.block, "b (default 768)")->check(CLI::PositiveNumber);
  app.add_option("--steps", o.steps, "block steps that are simulated (default 16)")->check(CLI::PositiveNumber);
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
    if (power != most)
      throw UsageError(
          fmt::format("--ranks {} (grids here are squares whose side is a power of two). Take {}.", most, power));
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
    } else {
      disturb(o, most, out);
    }
    out.extra["predicted"] = true;
    return out;
  });
}

}  // namespace atl::cli
