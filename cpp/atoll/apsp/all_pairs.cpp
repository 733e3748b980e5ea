// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/closure.hpp>
#include <atoll/apsp/distance_format.hpp>
#include <atoll/apsp/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall_grid.hpp>
#include <atoll/apsp/negative_cycle.hpp>
#include <atoll/apsp/pairs_memory.hpp>
#include <atoll/apsp/peel.hpp>
#include <atoll/apsp/peeled_pairs.hpp>
#include <atoll/apsp/restore_no_path.hpp>
#include <atoll/apsp/usable_memory.hpp>
#include <atoll/apsp/value_range.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

// Side of the tiles that a file gets where no block was chosen.
constexpr std::int64_t kWrittenBlock = 512;

// What Floyd-Warshall reaches of the processor's peak, and how long that is measured: for the choice of a method.
constexpr double kOfPeak = 0.7, kPeakSeconds = 0.005;

/// Blocks of the whole matrix are counted: nothing is peeled off then.
bool is_partial(const AllPairsOptions& options) { return options.on_grid.steps > 0; }

/// Refuses what would not fit, while nothing has been taken.
template <class T>
void check_memory(World& world, const Arcs<T>& arcs, const AllPairsOptions& options, const GridPlan* plan) {
  const auto has = static_cast<double>(usable_memory());
  Rank near = 0;  // ranks that share this machine's memory
  for (Rank r = 0; r < world.size(); ++r) near += world.fabric().node_of(r) == world.fabric().node_of(world.rank());
  const Gemm gemm(all_pairs_algebra(arcs, options.semiring), options.blocking);
  // Anything else than shortest paths, and a part of them, is Floyd-Warshall over the matrix as it is.
  const bool whole = is_partial(options) || options.semiring != Semiring::min_plus;
  const auto need = [&](Vertex n) {
    const PairsMemory of{.n = n,
                         .arcs = arcs.size(),
                         .value_bytes = sizeof(T),
                         .undirected = !arcs.directed,
                         .peels = options.peel == Peel::yes && !whole,
                         .unit = arcs.is_unit(),
                         .method = whole ? PairsMethod::floyd_warshall : options.method,
                         .block = plan ? plan->block : options.block,
                         .threads = world.team().size()};
    return plan ? near * bytes_on_a_grid(gemm, of, plan->grid, !options.checkpoint.folder.empty())
                : bytes_on_one_rank(gemm, of);
  };
  const double here = need(arcs.vertices());
  world.agree(
      here <= has,
      fmt::format("{} vertices need {} of memory for all pairs in values of {} bytes (this machine has {} free; "
                  "n = {} would fit). Take a narrower --type, more machines, or a part of the graph; or "
                  "work on a file: --out-of-core --output D.tiles.",
                  arcs.vertices(), bytes_text(static_cast<std::uint64_t>(here)), sizeof(T),
                  bytes_text(static_cast<std::uint64_t>(has)),
                  here <= has ? arcs.vertices() : greatest_that_fits(has, need)));
}

template <class T>
AllPairs<T> on_one_rank(World& world, const Arcs<T>& arcs, const AllPairsOptions& options) {
  AllPairs<T> all;
  AllPairsReport& report = all.report;
  Team& team = world.team();
  const Algebra algebra = shortest_paths_algebra(arcs);
  const Gemm gemm(algebra, options.blocking);
  const auto dense = [&](const Arcs<T>& core, MatrixView<T> d) {
    set_arc_lengths(team, core, d);
    FloydWarshallReport run;
    if (floyd_warshall<T>(gemm, team, d,
                          {.block = options.block, .undirected = !arcs.directed, .steps = options.on_grid.steps}, &run))
      refuse_negative_cycle(arcs);
    if (arcs.has_negative()) restore_no_path(team, d);
    report.block = std::max(report.block, run.block);
    report.steps += run.steps;
    report.operations += run.operations;
    report.diagonal_seconds += run.diagonal_seconds;
    report.panel_seconds += run.panel_seconds;
    report.outer_seconds += run.outer_seconds;
  };
  RankTimer timer(world);
  if (is_partial(options) || (options.peel == Peel::no && options.method == PairsMethod::floyd_warshall)) {
    all.distances.local = Matrix<T>(arcs.vertices(), arcs.vertices());
    dense(arcs, all.distances.local.view());
    report.method = name_of(PairsMethod::floyd_warshall);
    report.compute_seconds = timer.lap();
  } else {
    PairsReport run;
    PairsOptions how{.method = options.method, .delta = options.delta, .peel = options.peel};
    if (!how.method)
      how.operations_per_second = kOfPeak * peak_operations_per_second(team, algebra, gemm.isa(), kPeakSeconds);
    all.distances.local = peeled_pairs<T>(team, arcs, how, dense, &run);
    report.method = name_of(run.method);
    report.components = run.components;
    report.peeled = run.peeled;
    report.delta = run.delta;
    report.peel_seconds = run.peel_seconds;
    report.compute_seconds = run.core_seconds;
    report.expand_seconds = run.expand_seconds;
  }
  all.distances.layout = GridLayout(arcs.vertices(), std::max(report.block, kWrittenBlock), {});
  if (!is_partial(options)) check_no_path_is_lost(world, arcs, all.distances);
  return all;
}

/// Over another semiring than (min, +): nothing is peeled off, no search finds it.
template <class T>
AllPairs<T> closure_on_one_rank(World& world, const Arcs<T>& arcs, const AllPairsOptions& options) {
  AllPairs<T> all;
  AllPairsReport& report = all.report;
  Team& team = world.team();
  const Gemm gemm(all_pairs_algebra(arcs, options.semiring), options.blocking);
  RankTimer timer(world);
  all.distances.local = arc_entries(team, arcs, options.semiring);
  FloydWarshallReport run;
  if (floyd_warshall<T>(gemm, team, all.distances.local.view(),
                        {.block = options.block, .undirected = !arcs.directed, .steps = options.on_grid.steps}, &run))
    refuse_positive_cycle(arcs);
  if (options.semiring == Semiring::max_plus) restore_no_longest_path(team, all.distances.local.view());
  report.method = name_of(PairsMethod::floyd_warshall);
  report.compute_seconds = timer.lap();
  report.block = run.block;
  report.steps = run.steps;
  report.operations = run.operations;
  report.diagonal_seconds = run.diagonal_seconds;
  report.panel_seconds = run.panel_seconds;
  report.outer_seconds = run.outer_seconds;
  all.distances.layout = GridLayout(arcs.vertices(), std::max(report.block, kWrittenBlock), {});
  return all;
}

template <class T>
AllPairs<T> on_a_grid(World& world, const Arcs<T>& arcs, const AllPairsOptions& options, const GridPlan& plan) {
  AllPairs<T> all;
  AllPairsReport& report = all.report;
  world.together([&] {
    if (options.method && options.method != PairsMethod::floyd_warshall)
      throw UsageError(fmt::format(
          "the method is {} on a grid of {} ranks{} (searches run on one rank, without a grid, and are not "
          "saved). Leave that out, or take fw.",
          name_of(*options.method), world.size(), options.checkpoint.folder.empty() ? "" : " with a checkpoint"));
  });
  const Gemm gemm(all_pairs_algebra(arcs, options.semiring), options.blocking);
  report.plan = plan;
  GridOptions on_grid = options.on_grid;
  plan.apply_to(on_grid);
  // Every rank has all arcs: it gives its share of them.
  std::vector<MatrixEntry<T>> mine;
  for (Vertex v = world.rank(); v < arcs.vertices(); v += world.size())
    for (Edge e = arcs.begin(v); e < arcs.end(v); ++e)
      mine.push_back({v, arcs.heads[static_cast<std::size_t>(e)],
                      entry_of(options.semiring, arcs.weights[static_cast<std::size_t>(e)])});
  const GridLayout layout(arcs.vertices(), plan.block, plan.grid);
  all.distances = distances_from_entries<T>(world, options.semiring, layout, mine);
  RankTimer timer(world);
  const GridRun run =
      options.checkpoint.folder.empty()
          ? floyd_warshall_grid(world, gemm, all.distances, on_grid, options.pauses)
          : floyd_warshall_saved(world, gemm, all.distances, on_grid, options.checkpoint, report.saved.emplace());
  world.together([&] {
    if (run.gain_vertex < 0) return;
    if (options.semiring == Semiring::max_plus) refuse_positive_cycle(arcs);
    refuse_negative_cycle(arcs);
  });
  const GridStep sum = run.sum();
  report.method = name_of(PairsMethod::floyd_warshall);
  report.block = on_grid.block;
  report.compute_seconds = timer.lap();
  report.operations = run.operations;
  report.steps = static_cast<std::int64_t>(run.steps.size());
  if (is_partial(options))
    for (const GridStep& step : run.steps) report.step_seconds.push_back(step.seconds());
  report.diagonal_seconds = sum.diagonal;
  report.panel_seconds = sum.panel;
  report.outer_seconds = sum.outer;
  report.copy_seconds = sum.copy;
  report.wait_seconds = sum.wait;
  report.broadcast_seconds = run.broadcasts.seconds;
  if (options.semiring == Semiring::max_plus) restore_no_longest_path(world.team(), all.distances.local.view());
  if (options.semiring != Semiring::min_plus) return all;
  if (arcs.has_negative()) restore_no_path(world.team(), all.distances.local.view());
  if (run.next == layout.rows.blocks()) check_no_path_is_lost(world, arcs, all.distances);
  return all;
}

}  // namespace

template <class T>
Algebra shortest_paths_algebra(const Arcs<T>& arcs) {
  Element element = kElementOf<T>;
  if (element == Element::float32 && !arcs.has_negative()) element = Element::float32_nonnegative;
  return {Semiring::min_plus, element};
}

template <class T>
AllPairs<T> all_pairs(World& world, const Arcs<T>& arcs, const AllPairsOptions& options) {
  world.together([&] {
    check(arcs.vertices() > 0, "{}: there is no vertex (so there are no pairs). Give another graph.", arcs.name);
    if (is_partial(options) && options.method && options.method != PairsMethod::floyd_warshall)
      throw UsageError(fmt::format("{} steps by {} (only fw has steps). Leave them out, or take fw.",
                                   options.on_grid.steps, name_of(*options.method)));
    if (options.semiring == Semiring::min_plus) {
      check_sums(arcs);
    } else {
      check_closure(arcs, options.semiring);
      if (options.method && options.method != PairsMethod::floyd_warshall)
        throw UsageError(
            fmt::format("the method is {} over {} (searches find shortest paths). Leave it out, or take fw.",
                        name_of(*options.method), name_of(options.semiring)));
    }
  });
  const bool alone =
      world.size() == 1 && !options.grid.sides && !options.grid.placement && options.checkpoint.folder.empty();
  std::optional<GridPlan> plan;
  if (!alone) {
    GridWishes wishes = options.grid;
    wishes.block = options.block;
    plan = agree_on_grid(world, options.machine, Gemm(all_pairs_algebra(arcs, options.semiring), options.blocking),
                         arcs.vertices(), wishes);
  }
  check_memory(world, arcs, options, plan ? &*plan : nullptr);
  AllPairs<T> all = plan                                     ? on_a_grid(world, arcs, options, *plan)
                    : options.semiring == Semiring::min_plus ? on_one_rank(world, arcs, options)
                                                             : closure_on_one_rank(world, arcs, options);
  all.report.semiring = options.semiring;
  all.report.matrix_bytes = all.distances.local.memory_bytes();
  return all;
}

double AllPairsReport::hidden() const {
  return broadcast_seconds > 0 ? std::clamp(1 - wait_seconds / broadcast_seconds, 0.0, 1.0) : 1;
}

nlohmann::json AllPairsReport::to_json() const {
  nlohmann::json json{{"semiring", name_of(semiring)},
                      {"method", method},
                      {"block", block},
                      {"delta", delta},
                      {"steps", steps},
                      {"operations", operations},
                      {"components", components},
                      {"peeled_vertices", peeled},
                      {"matrix_bytes", matrix_bytes},
                      {"seconds",
                       {{"peel", peel_seconds},
                        {"compute", compute_seconds},
                        {"expand", expand_seconds},
                        {"diagonal", diagonal_seconds},
                        {"panel", panel_seconds},
                        {"outer", outer_seconds},
                        {"copy", copy_seconds},
                        {"wait", wait_seconds},
                        {"broadcast", broadcast_seconds},
                        {"commit", commit_seconds}}}};
  if (!step_seconds.empty()) json["step_seconds"] = step_seconds;
  if (plan) {
    json["plan"] = plan->to_json();
    json["hidden"] = hidden();
  }
  if (from_disk)
    json["tiles"] = {{"from_step", from_disk->first},       {"memory_bytes", from_disk->memory_bytes},
                     {"bytes_read", from_disk->bytes_read}, {"bytes_written", from_disk->bytes_written},
                     {"notes", from_disk->notes},           {"note_seconds", from_disk->note_seconds}};
  if (saved) {
    const CheckpointReport& kept = saved->checkpoint;
    json["checkpoint"] = {{"from_step", saved->first},
                          {"saved", kept.saved},
                          {"bytes", kept.bytes},
                          {"save_seconds", kept.save_seconds},
                          {"seconds_each", kept.seconds_each()},
                          {"overhead_every_30_minutes", kept.overhead_every(1800)},
                          {"load_seconds", kept.load_seconds},
                          {"overhead", compute_seconds > 0 ? kept.save_seconds / compute_seconds : 0.0}};
  }
  return json;
}

template <class T>
std::optional<std::string> fault_of_row(const Arcs<T>& arcs, const Arcs<T>& entering, Vertex s,
                                        std::span<const T> row) {
  const auto n = arcs.vertices();
  const auto length = [](T a, T w) { return static_cast<double>(a) + static_cast<double>(w); };
  const auto close = [](double a, double b) {
    return std::is_integral_v<T> ? a == b : std::abs(a - b) <= 1e-4 * std::max(std::abs(a), std::abs(b)) + 1e-30;
  };
  const auto id = [&](Vertex v) { return arcs.ids[static_cast<std::size_t>(v)]; };
  if (row[static_cast<std::size_t>(s)] != T{}) return fmt::format("the distance from {} to itself is not 0", id(s));
  for (Vertex v = 0; v < n; ++v) {
    const double d = static_cast<double>(row[static_cast<std::size_t>(v)]);
    const bool none = row[static_cast<std::size_t>(v)] == kNoPath<T>;
    const auto tails = entering.heads_of(v);
    const auto weights = entering.weights_of(v);
    for (std::size_t e = 0; e < tails.size(); ++e) {
      const T before = row[static_cast<std::size_t>(tails[e])];
      if (before == kNoPath<T>) continue;
      const double through = length(before, weights[e]);
      if (none || (through < d && !close(through, d)))
        return fmt::format("from {} to {}: {} by its distance, {} through {}", id(s), id(v),
                           none ? "no path" : fmt::format("{}", d), through, id(tails[e]));
    }
  }
  // Vertices that are reached by arcs that account for their distances; the order does not matter.
  std::vector<char> seen(static_cast<std::size_t>(n), 0);
  std::vector<Vertex> reached{s};
  seen[static_cast<std::size_t>(s)] = 1;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const Vertex u = reached[next];
    const auto heads = arcs.heads_of(u);
    const auto weights = arcs.weights_of(u);
    for (std::size_t e = 0; e < heads.size(); ++e) {
      const auto v = static_cast<std::size_t>(heads[e]);
      if (seen[v] || !close(length(row[static_cast<std::size_t>(u)], weights[e]), static_cast<double>(row[v])))
        continue;
      seen[v] = 1;
      reached.push_back(heads[e]);
    }
  }
  for (Vertex v = 0; v < n; ++v)
    if (!seen[static_cast<std::size_t>(v)] && row[static_cast<std::size_t>(v)] != kNoPath<T>)
      return fmt::format("no path from {} to {} is as short as {}", id(s), id(v), row[static_cast<std::size_t>(v)]);
  return {};
}

#define ATOLL_ALL_PAIRS_OF(T)                                                     \
  template AllPairs<T> all_pairs(World&, const Arcs<T>&, const AllPairsOptions&); \
  template Algebra shortest_paths_algebra(const Arcs<T>&);                        \
  template std::optional<std::string> fault_of_row(const Arcs<T>&, const Arcs<T>&, Vertex, std::span<const T>);
ATOLL_ALL_PAIRS_OF(float)
ATOLL_ALL_PAIRS_OF(double)
ATOLL_ALL_PAIRS_OF(std::int32_t)
ATOLL_ALL_PAIRS_OF(std::uint16_t)
ATOLL_ALL_PAIRS_OF(std::uint8_t)
#undef ATOLL_ALL_PAIRS_OF

}  // namespace atl
