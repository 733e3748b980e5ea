// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/tune/store.hpp>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

namespace atl {
namespace {

// How long the peak is measured if there are no stored rates: a few percent of a run of a thousand vertices.
constexpr double kGridPeakSeconds = 0.0005;

// Limits of the chunk length. Shorter chunks are packets of the network itself; longer ones hide no more time.
constexpr std::size_t kShortestChunk = std::size_t{64} << 10, kLongestChunk = std::size_t{16} << 20;
// The cost of a chunk beside its bytes: a message's overhead, and two switches between computing and forwarding. It has
// no latency term, because chunks are pipelined.
constexpr double kChunk_s = 2e-6;

void check_constraints(Rank ranks, NodeShape nodes, const GridConstraints& constraints) {
  if (constraints.shape && std::int64_t{constraints.shape->rows} * constraints.shape->cols != ranks)
    throw UsageError(fmt::format("the grid is {} x {} (there are {} ranks). Give sides whose product is that.",
                                 constraints.shape->rows, constraints.shape->cols, ranks));
  if (!constraints.placement) return;
  const GridShape& q = *constraints.placement;
  if (std::int64_t{q.rows} * q.cols != nodes.ranks && q.rows * q.cols != 1)
    throw UsageError(fmt::format(
        "the placement is {} x {} ranks of a node ({}). Give sides whose product is that, or auto.", q.rows, q.cols,
        nodes.ranks > 1 ? fmt::format("a node has {}", nodes.ranks)
                        : std::string("nodes have one each, or unequal numbers, so it is 1 x 1")));
  if (constraints.shape && (constraints.shape->rows % q.rows != 0 || constraints.shape->cols % q.cols != 0))
    throw UsageError(
        fmt::format("the placement is {} x {} ranks of a node in a grid of {} x {} (it must divide that). "
                    "Give another, or auto.",
                    q.rows, q.cols, constraints.shape->rows, constraints.shape->cols));
}

/// The grid with the ranks of a node as an inner grid: the requested one, or the one with the least network traffic.
ProcessGrid placed(GridShape shape, NodeShape nodes, const std::optional<GridShape>& placement) {
  ProcessGrid grid{.rows = shape.rows, .cols = shape.cols};
  if (placement) {
    grid.node_rows = placement->rows;
    grid.node_cols = placement->cols;
  } else {
    const ApspGrid inner = with_node_grid(nodes.ranks, shape.rows, shape.cols);
    grid.node_rows = inner.node_rows;
    grid.node_cols = inner.node_cols;
  }
  if (grid.node_size() % nodes.cards == 0) grid.cards = nodes.cards;
  return grid;
}

/// A panel of w bytes in chunks of c reaches the last rank after (steps - 1) chunks and its own w bytes, and every
/// chunk has a fixed cost a: the chunk minimises (steps - 1) c / B + (w / c) a.
std::size_t chunk_for(const ApspMachine& machine, std::int64_t n, const ApspPlan& plan) {
  const ApspGrid& g = plan.grid;
  if (g.ranks() == 1) return 0;
  const BroadcastModel& panels = machine.broadcast(plan.broadcast);
  const auto size = static_cast<double>(n) * static_cast<double>(machine.element_bytes);
  const double panel = size * static_cast<double>(plan.block) / std::min(g.rows, g.cols);
  const int hops = std::max(steps_among(panels.steps, g.rows), steps_among(panels.steps, g.cols));
  if (hops <= 1) return std::clamp(std::bit_ceil(static_cast<std::size_t>(panel)), kShortestChunk, kLongestChunk);
  const double bandwidth = panels.bytes_per_second(size * static_cast<double>(n) / g.ranks());
  const double best = std::sqrt(panel * kChunk_s * bandwidth / (hops - 1));
  return std::clamp(std::bit_ceil(static_cast<std::size_t>(best)), kShortestChunk, kLongestChunk);
}

}  // namespace

GridShape grid_shape_of(std::string_view option, std::string_view text) {
  GridShape shape;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, shape.rows);
  const auto cols = rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x'
                        ? std::from_chars(rows.ptr + 1, end, shape.cols)
                        : std::from_chars_result{end, std::errc::invalid_argument};
  if (cols.ec != std::errc() || cols.ptr != end || shape.rows < 1 || shape.cols < 1)
    throw UsageError(
        fmt::format("{} is '{}' (it needs rows x columns of ranks). Give it as 2x4, or auto.", option, text));
  return shape;
}

NodeShape node_shape_of(const World& world) {
  const Hierarchy& h = world.hierarchy();
  std::vector<int> of_leaf;
  for (Rank r = 0; r < h.size(); ++r) {
    if (r == 0 || h.leaf_of(r) != h.leaf_of(r - 1)) of_leaf.push_back(0);
    ++of_leaf.back();
  }
  // If the leaves are equally long runs of ranks, each is a node.
  const bool equal = std::ranges::all_of(of_leaf, [&](int ranks) { return ranks == of_leaf.front(); });
  const bool whole = static_cast<int>(of_leaf.size()) == h.leaf_of(h.size() - 1) + 1;
  return {.ranks = equal && whole && of_leaf.size() > 1 ? of_leaf.front() : 1};
}

GridPlan plan_grid(const ApspMachine& machine, std::int64_t n, Rank ranks, NodeShape nodes,
                   const GridConstraints& constraints) {
  check_constraints(ranks, nodes, constraints);
  ApspQuery query{.n = n, .ranks = ranks};
  if (constraints.shape) query.grid = {constraints.shape->rows, constraints.shape->cols};
  if (constraints.block > 0) query.block = constraints.block;
  if (constraints.panels && ranks > 1) query.broadcast = name_of(*constraints.panels);
  ApspMachine counted = machine;
  if (ranks > machine.ranks_per_node && ranks % machine.ranks_per_node != 0) counted.ranks_per_node = 1;
  if (counted.ranks_per_node % counted.ranks_per_device != 0) counted.ranks_per_device = 1;
  std::vector<ApspPrediction> plans = predict_apsp(counted, query);
  if (constraints.placement)
    std::erase_if(plans, [&](const ApspPrediction& p) {
      return p.plan.grid.rows % constraints.placement->rows != 0 || p.plan.grid.cols % constraints.placement->cols != 0;
    });
  if (plans.empty())
    throw UsageError(
        fmt::format("the placement is {} x {} ranks of a node (no grid of {} ranks can be divided so). "
                    "Give another, or auto.",
                    constraints.placement->rows, constraints.placement->cols, ranks));

  const auto shape_of = [&](const ApspPrediction& p) {
    return p.plan.broadcast.empty() ? constraints.panels.value_or(BroadcastShape::ring2m)
                                    : broadcast_named(p.plan.broadcast);
  };
  const ApspPrediction& best = plans.front();
  GridPlan plan;
  plan.grid = placed({best.plan.grid.rows, best.plan.grid.cols}, nodes, constraints.placement);
  plan.block = best.plan.block;
  plan.panels = shape_of(best);
  plan.chunk_bytes = constraints.chunk_bytes.value_or(chunk_for(counted, n, best.plan));
  plan.time = best.time;
  plan.expected_s = best.expected_s;
  const auto other = std::ranges::find_if(plans, [&](const ApspPrediction& p) {
    return !(p.plan.grid == best.plan.grid) || p.plan.block != best.plan.block;
  });
  if (other != plans.end())
    plan.next = {.shape = {other->plan.grid.rows, other->plan.grid.cols},
                 .block = other->plan.block,
                 .panels = shape_of(*other),
                 .expected_s = other->expected_s};
  return plan;
}

GridPlan agree_on_grid(World& world, const std::optional<ApspMachine>& machine, const Gemm& gemm, std::int64_t n,
                       const GridConstraints& constraints) {
  const GridPlan mine = world.collective_try([&] {
    if (world.rank() != 0) return GridPlan{};
    const bool measured = machine && (world.size() == 1 || !machine->broadcasts.empty());
    ApspMachine rates;
    Rank near = 0;
    for (Rank r = 0; r < world.size(); ++r) near += world.fabric().node_of(r) == world.fabric().node_of(0);
    if (measured) {
      rates = *machine;
    } else {
      // The ranks of a machine share its cores.
      const double threads = static_cast<double>(near) * world.team().size();
      const double share = std::min(1.0, static_cast<double>(std::thread::hardware_concurrency()) / threads);
      rates = usual_machine(gemm.algebra().element, share * peak_operations_per_second(world.team(), gemm.algebra(),
                                                                                       gemm.isa(), kGridPeakSeconds));
      if (share_one_memory(world)) {
        rates.overlap = kOverlapInOneMemory;
        for (BroadcastModel& panels : rates.broadcasts)
          panels.sends = 0;  // The limit is what all ranks copy, not what one sends.
      }
    }
    GridPlan plan = plan_grid(rates, n, world.size(), node_shape_of(world), constraints);
    plan.rates = measured ? GridPlan::Rates::measured : GridPlan::Rates::usual;
    return plan;
  });
  return world.all_gather(mine).front();
}

std::optional<ApspMachine> stored_machine(Element element, const tune::Store& store) {
  auto entry = store.read("apsp/" + std::string(name_of(element)));
  if (!entry && element == Element::float32_nonnegative)
    entry = store.read("apsp/" + std::string(name_of(Element::float32)));
  if (!entry) return std::nullopt;
  return ApspMachine::from_json(entry->value);
}

ApspMachine usual_machine(Element element, double peak) {
  ApspMachine m;
  m.name = "usual";
  m.provenance = "shares of the processor's peak; bandwidths of shared memory";
  m.element = name_of(element);
  m.element_bytes = bytes_of(element);
  // Measured on two cores of a Zen 5 machine with one thread per rank (`atoll model fit`): products of depth 32 are
  // within a fifth of deep ones; a diagonal block is closed at 0.4 of their rate.
  m.rate_of_block = {0.8 * peak, 8};
  m.rate_of_size = {0.8 * peak, 0};
  m.diagonal_rate = 0.3 * peak;
  m.broadcasts = {{"tree", BroadcastShape::tree, {3e9, 2e4}, 1},
                  {"ring", BroadcastShape::ring, {3e9, 2e4}, 1},
                  {"ring2m", BroadcastShape::ring2m, {3e9, 2e4}, 1}};
  m.latency_s = 20e-6;
  return m;
}

bool share_one_memory(World& world) {
  if (world.fabric().is_virtual()) return false;
  for (Rank r = 0; r < world.size(); ++r)
    if (world.fabric().node_of(r) != world.fabric().node_of(0)) return false;
  return true;
}

void GridPlan::apply_to(GridOptions& options) const {
  options.block = block;
  options.panels = panels;
  options.chunk_bytes = chunk_bytes;
}

nlohmann::json GridPlan::utilisation(double seconds, double share) const {
  const double ideal = share * time.ideal_s(), worst = share * time.worst_s();
  return {{"ideal", ideal},
          {"worst", worst},
          {"expected", share * expected_s},
          {"measured", seconds},
          {"place", worst > ideal ? (seconds - ideal) / (worst - ideal) : 0}};
}

nlohmann::json GridPlan::to_json() const {
  nlohmann::json json{{"grid", {grid.rows, grid.cols}},
                      {"placement", {grid.node_rows, grid.node_cols}},
                      {"cards", grid.cards},
                      {"block", block},
                      {"broadcast", name_of(panels)},
                      {"chunk_bytes", chunk_bytes},
                      {"rates", rates == Rates::measured ? "measured" : "usual"},
                      {"expected", expected_s},
                      {"ideal", time.ideal_s()},
                      {"worst", time.worst_s()},
                      {"next", nullptr}};
  if (next.shape.rows > 0)
    json["next"] = {{"grid", {next.shape.rows, next.shape.cols}},
                    {"block", next.block},
                    {"broadcast", name_of(next.panels)},
                    {"expected", next.expected_s}};
  return json;
}

std::string GridPlan::text() const {
  std::string text = fmt::format("{} x {}", grid.rows, grid.cols);
  if (grid.node_size() > 1) text += fmt::format(" ({} x {} a node)", grid.node_rows, grid.node_cols);
  text += fmt::format(", blocks of {}, {} in chunks of {} KiB: {:.3g} s expected by {} rates", block, name_of(panels),
                      chunk_bytes >> 10, expected_s, rates == Rates::measured ? "measured" : "usual");
  if (next.shape.rows > 0)
    text += fmt::format("; next best {} x {}, {}, {}: {:.3g} s", next.shape.rows, next.shape.cols, next.block,
                        name_of(next.panels), next.expected_s);
  return text;
}

}  // namespace atl
