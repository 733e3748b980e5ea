// SPDX-License-Identifier: Apache-2.0
// The analytical model of Floyd-Warshall on a grid of ranks [1].
//   in the paper   here                     meaning
//   gamma          1 / rate                 seconds of one addition or minimum, of one device
//   beta           1 / bandwidth            seconds of a byte through a node's way to the network
//   alpha          machine.latency_s        of one step of a broadcast
//   P_r, P_c       rows, cols               the grid; in the bandwidth term counted in nodes
//   b, n_b         plan.block, steps        the step, and how many there are
// [1] R. Kannan et al. Exaflop/s Biomedical Knowledge Graph Analytics (COAST). SC22, section IV.D.
#include <atoll/apsp/model/apsp_time.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <numeric>
#include <tuple>

namespace atl {
namespace {

constexpr std::int64_t kBlockStep = 64, kLargestBlock = 4096;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Rows (or columns) of the part with the most blocks.
double most_of(std::int64_t n, std::int64_t block, int parts) {
  return static_cast<double>(std::min(n, divided_up(divided_up(n, block), parts) * block));
}

// The number of nodes and of devices that a grid occupies.
double nodes_of(const ApspGrid& g) { return static_cast<double>(g.ranks() / (g.node_rows * g.node_cols)); }
double devices_of(const ApspMachine& m, const ApspGrid& g) {
  return static_cast<double>(divided_up(g.ranks(), m.ranks_per_device));
}

double bytes_of(const ApspMachine& m, std::int64_t n) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(m.element_bytes);
}

double device_rate(const ApspMachine& m, std::int64_t n, const ApspPlan& plan, KernelRate kernel) {
  const double on_device = bytes_of(m, n) / devices_of(m, plan.grid);
  switch (kernel) {
    case KernelRate::by_size:
      return m.rate_of_size(on_device);
    case KernelRate::by_block:
      return m.rate_of_block(static_cast<double>(plan.block));
    case KernelRate::by_both:
      break;
  }
  return m.rate_of_block(static_cast<double>(plan.block)) * m.rate_of_size(on_device) / m.rate_of_size.a;
}

// How often a panel passes through a node's network link, and through a rank's own link, along a row and along a column
// of the grid.
struct Sends {
  double node_row = 0, node_col = 0, rank_row = 0, rank_col = 0;
};

// The cost lies between what the root's node sends (the longest path of one step) and the mean over all nodes (all that
// counts if steps overlap without end). Factor to the geometric mean of both, from broadcasts alone in virtual time
// (ring, ring2m, tree; 2 to 8 nodes of 8 ranks in 18 grids): 1.0 to 1.7, the median 1.3; only 0.75 with two nodes along
// one side.
constexpr double kOfGeometricMean = 1.3;
// Filling and draining the pipeline of broadcasts takes as long as this many steps.
constexpr double kFillingSteps = 3;
// A step's panels reach the owners of the next panels in one hop along each side of the grid, whatever the broadcast,
// and all other ranks wait for those. The diagonal block's hops add half of that (in virtual time 1.5 hops a side, 4 to
// 64 ranks).
constexpr double kHopsOfStep = 1.5;

double passes(BroadcastShape shape, int p, int per_node) {
  const NodeSends sends = node_sends(shape, p, per_node);
  return kOfGeometricMean * std::sqrt(sends.root * sends.mean);
}

Sends sends_of(const BroadcastModel& panels, const ApspGrid& g) {
  const auto across = [](int p, int per_node) { return p > per_node ? 1.0 : 0.0; };
  if (panels.sends == 0)
    return {across(g.cols, g.node_cols), across(g.rows, g.node_rows), across(g.cols, 1), across(g.rows, 1)};
  return {passes(panels.steps, g.cols, g.node_cols) / panels.sends,
          passes(panels.steps, g.rows, g.node_rows) / panels.sends, passes(panels.steps, g.cols, 1),
          passes(panels.steps, g.rows, 1)};
}

double transfer_s(const ApspMachine& machine, std::int64_t n, const ApspGrid& g, const BroadcastModel& panels,
                  const Sends& sends) {
  // A panel of a row leaves a node through the cards of as many ranks as it has in a column; if there are more cards
  // than that, the others are idle.
  const auto links = [&](int ranks) { return static_cast<double>(divided_up(ranks, machine.cards) * machine.cards); };
  const double through_node = bytes_of(machine, n) * (sends.node_row * links(g.node_rows) / g.rows +
                                                      sends.node_col * links(g.node_cols) / g.cols);
  const double through_rank = bytes_of(machine, n) * (sends.rank_row / g.rows + sends.rank_col / g.cols);
  const double of_node =
      through_node > 0 ? through_node / panels.bytes_per_second(bytes_of(machine, n) / nodes_of(g)) : 0;
  return std::max(of_node, through_rank / machine.rank_bytes_per_second);
}

ApspTime time_with(const ApspMachine& machine, std::int64_t n, const ApspPlan& plan, KernelRate kernel,
                   const BroadcastModel* panels, const Sends& sends) {
  const ApspGrid& g = plan.grid;
  const double size = static_cast<double>(n), b = static_cast<double>(plan.block);
  const double rows = most_of(n, plan.block, g.rows), cols = most_of(n, plan.block, g.cols);
  // Ranks that share a device get equal parts of it; if there are fewer ranks than that, they share the whole device.
  const double rank_rate = device_rate(machine, n, plan, kernel) * devices_of(machine, g) / g.ranks();

  ApspTime t;
  t.steps = static_cast<double>(divided_up(n, plan.block));
  t.compute_s = 2 * size * rows * cols / rank_rate;
  if (g.ranks() > 1) {
    const int sides = (g.rows > g.node_rows) + (g.cols > g.node_cols);
    t.latency_s = t.steps * machine.latency_s * kHopsOfStep * sides;
    t.transfer_s = transfer_s(machine, n, g, *panels, sends);
    if (panels->sends > 0) t.transfer_s *= 1 + kFillingSteps / t.steps;
  }
  // The panel of the next step costs two products of b x b with b x rows: this step's outer product, and the update by
  // its diagonal block. On one rank both are already counted by equation 1.
  const double panel_s = g.ranks() > 1 ? 2 * 2 * b * b * std::max(rows, cols) / rank_rate : 0;
  t.chain_s = t.steps * (2 * b * b * b / machine.diagonal_rate + panel_s);
  return t;
}

}  // namespace

ApspTime time_of(const ApspMachine& machine, std::int64_t n, const ApspPlan& plan, KernelRate kernel) {
  if (plan.grid.ranks() == 1) return time_with(machine, n, plan, kernel, nullptr, {});
  const BroadcastModel& panels = machine.broadcast(plan.broadcast);
  return time_with(machine, n, plan, kernel, &panels, sends_of(panels, plan.grid));
}

double node_bytes_of(const ApspMachine& machine, std::int64_t n, const ApspPlan& plan) {
  const ApspGrid& g = plan.grid;
  const double rows = most_of(n, plan.block, g.rows), cols = most_of(n, plan.block, g.cols);
  const double panels = g.ranks() > 1 ? 2 * (rows + cols) * static_cast<double>(plan.block) : 0;
  const double of_rank = (machine.copies * rows * cols + panels) * static_cast<double>(machine.element_bytes);
  return of_rank * g.node_rows * g.node_cols;
}

ApspGrid with_node_grid(int ranks_per_node, int rows, int cols) {
  const int per_node = std::min(ranks_per_node, rows * cols);
  ApspGrid best{rows, cols, 1, 1};
  double least = std::numeric_limits<double>::infinity();
  for (int inner = 1; inner <= per_node; ++inner) {
    if (per_node % inner != 0 || rows % inner != 0 || cols % (per_node / inner) != 0) continue;
    const ApspGrid g{rows, cols, inner, per_node / inner};
    const double traffic = static_cast<double>(g.node_rows) / rows + static_cast<double>(g.node_cols) / cols;
    if (traffic < least) least = traffic, best = g;
  }
  return best;
}

std::vector<ApspPrediction> predict_apsp(const ApspMachine& machine, const ApspQuery& query) {
  machine.validate();
  check(query.n >= 1, "n is {} (vertices of the graph). Give 1 or more.", query.n);
  check(query.ranks >= 1, "ranks is {} (1 or more are needed). Correct it.", query.ranks);
  check(query.ranks <= machine.ranks_per_node || query.ranks % machine.ranks_per_node == 0,
        "{} ranks do not fill nodes of {} (the model of '{}' counts whole nodes). Give a multiple of {}.", query.ranks,
        machine.ranks_per_node, machine.name, machine.ranks_per_node);
  const double overlap = query.overlap.value_or(machine.overlap);
  check(overlap >= 0 && overlap <= 1, "overlap is {} (a share from 0 to 1). Correct it.", overlap);
  check(!query.block || *query.block >= 1, "block is {} (1 or more). Correct it.", query.block.value_or(0));
  if (query.grid)
    check(query.grid->first >= 1 && query.grid->second >= 1 &&
              std::int64_t{query.grid->first} * query.grid->second == query.ranks,
          "grid {}x{} (there are {} ranks). Give a grid of rows x columns with that product.", query.grid->first,
          query.grid->second, query.ranks);
  if (!query.broadcast.empty()) machine.broadcast(query.broadcast);
  check(query.ranks == 1 || !machine.broadcasts.empty(),
        "parameters '{}' have no broadcast ({} ranks need one). Measure it with `atoll model fit --ranks {}`, or take "
        "one "
        "rank.",
        machine.name, query.ranks, query.ranks);

  std::vector<ApspGrid> grids;
  for (int rows = 1; rows <= query.ranks; ++rows)
    if (query.ranks % rows == 0 && (!query.grid || query.grid->first == rows))
      grids.push_back(with_node_grid(machine.ranks_per_node, rows, query.ranks / rows));
  std::vector<std::int64_t> blocks;
  if (query.block) blocks.push_back(std::min(*query.block, query.n));
  for (std::int64_t b = kBlockStep; !query.block && b <= kLargestBlock; b += kBlockStep) {
    blocks.push_back(std::min(b, query.n));
    if (b >= query.n) break;
  }

  std::vector<const BroadcastModel*> broadcasts;
  for (const BroadcastModel& panels : machine.broadcasts)
    if (query.broadcast.empty() || panels.name == query.broadcast) broadcasts.push_back(&panels);
  if (broadcasts.empty()) broadcasts.push_back(nullptr);  // one rank

  std::vector<ApspPrediction> predictions;
  for (const ApspGrid& grid : grids) {
    std::vector<Sends> sends;
    for (const BroadcastModel* panels : broadcasts)
      sends.push_back(panels && query.ranks > 1 ? sends_of(*panels, grid) : Sends{});
    for (const std::int64_t block : blocks)
      for (std::size_t k = 0; k < broadcasts.size(); ++k) {
        ApspPrediction p;
        p.plan = {grid, block, broadcasts[k] ? broadcasts[k]->name : std::string()};
        p.time = time_with(machine, query.n, p.plan, query.kernel, broadcasts[k], sends[k]);
        // A single rank has nothing to hide its critical path behind.
        p.expected_s = p.time.expected_s(query.ranks > 1 ? overlap : 0);
        p.node_bytes = node_bytes_of(machine, query.n, p.plan);
        p.memory_fits = p.node_bytes <= machine.memory_per_node;
        p.rate = 2 * std::pow(static_cast<double>(query.n), 3) / p.expected_s;
        predictions.push_back(std::move(p));
      }
  }
  // Where everything is hidden, many plans take the same time: prefer the one with the least to hide.
  const auto order = [](const ApspPrediction& p) {
    return std::tuple(!p.memory_fits, p.expected_s, p.time.worst_s() + p.time.chain_s);
  };
  std::stable_sort(predictions.begin(), predictions.end(),
                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return predictions;
}

namespace {

bool in_memory(const ApspMachine& machine, std::int64_t n, Rank ranks) {
  return predict_apsp(machine, {.n = n, .ranks = ranks}).front().memory_fits;
}

void check_memory_is_known(const ApspMachine& machine) {
  check(std::isfinite(machine.memory_per_node),
        "parameters '{}' have no memory per node (so no n is too large). Add memory_per_node.", machine.name);
}

// The smallest x >= 1 for which `holds` is true; it must be true for all larger ones.
template <class F>
std::int64_t first_that(F&& holds) {
  std::int64_t fails = 0, succeeds = 1;
  while (!holds(succeeds)) fails = succeeds, succeeds *= 2;
  while (succeeds - fails > 1) {
    const std::int64_t middle = std::midpoint(fails, succeeds);
    (holds(middle) ? succeeds : fails) = middle;
  }
  return succeeds;
}

}  // namespace

std::int64_t largest_apsp(const ApspMachine& machine, Rank ranks) {
  check_memory_is_known(machine);
  return first_that([&](std::int64_t n) { return !in_memory(machine, n, ranks); }) - 1;
}

int fewest_nodes(const ApspMachine& machine, std::int64_t n) {
  check_memory_is_known(machine);
  const auto fits = [&](std::int64_t nodes) {
    check(nodes <= std::numeric_limits<Rank>::max() / machine.ranks_per_node,
          "n = {} fits on no number of nodes of {} bytes. Take fewer vertices.", n, machine.memory_per_node);
    return in_memory(machine, n, static_cast<Rank>(nodes) * machine.ranks_per_node);
  };
  return static_cast<int>(first_that(fits));
}

}  // namespace atl
