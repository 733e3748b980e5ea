// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/arcs/negative_cycle.hpp>
#include <atoll/apsp/checks/value_range.hpp>
#include <atoll/apsp/device/on_device.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall/restore_no_path.hpp>
#include <atoll/apsp/grid/grid.hpp>
#include <atoll/apsp/pairs_memory.hpp>
#include <atoll/apsp/pendant_trees/core_pairs.hpp>
#include <atoll/apsp/pendant_trees/pendant_trees.hpp>
#include <atoll/apsp/store/distance_format.hpp>
#include <atoll/base/byte_count.hpp>
#include <atoll/base/usable_memory.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

// Side of the tiles in a file if no block size was chosen.
constexpr std::int64_t kWrittenBlock = 512;

// For the choice of a method: the fraction of the processor's peak that Floyd-Warshall reaches, and how long the peak
// is measured.
constexpr double kOfPeak = 0.7, kPeakSeconds = 0.005;

/// A limited number of steps refers to the whole matrix, so no pendant trees are removed then.
bool is_partial(const AllPairsOptions& options) { return options.on_grid.steps > 0; }

bool is_search(const std::optional<PairsMethod>& method) { return method && *method != PairsMethod::floyd_warshall; }

/// Whether ranks may search from a part of the sources each, in place of Floyd-Warshall on their grid: nothing that was
/// asked for needs that.
bool may_search(const AllPairsOptions& options) {
  const GridConstraints& grid = options.grid;
  return options.semiring == Semiring::min_plus && !options.device && !is_partial(options) &&
         options.checkpoint.folder.empty() && !grid.shape && !grid.placement && !grid.panels && !grid.chunk_bytes &&
         options.on_grid.look_ahead == GridOptions{}.look_ahead && options.method != PairsMethod::floyd_warshall;
}

/// Whole rows on each rank, blocks of them in turn: as many for each rank as can be, in tiles of a file that are large
/// enough.
GridLayout rows_layout(Vertex n, Rank ranks) {
  constexpr std::int64_t kLeast = 64;  // sources that a batch of searches shares most of its work with
  const std::int64_t even = (n + ranks - 1) / ranks;
  const std::int64_t block = std::min(kWrittenBlock, std::max(kLeast, (even + kLeast - 1) / kLeast * kLeast));
  return GridLayout(n, block, {.rows = ranks, .cols = 1});
}

/// Rejects a matrix that does not fit, before anything is allocated.
template <class T>
void check_memory(World& world, const ReplicatedCsr<T>& arcs, const AllPairsOptions& options, const GridPlan* plan) {
  const auto has = static_cast<double>(usable_memory());
  Rank near = 0;  // ranks that share this machine's memory
  for (Rank r = 0; r < world.size(); ++r) near += world.fabric().node_of(r) == world.fabric().node_of(world.rank());
  const Gemm gemm(all_pairs_algebra(arcs, options.semiring), options.blocking);
  // Other semirings, and partial runs, use Floyd-Warshall on the whole matrix.
  const bool whole = is_partial(options) || options.semiring != Semiring::min_plus;
  const auto need = [&](Vertex n) {
    const PairsMemory of{.n = n,
                         .arcs = arcs.size(),
                         .value_bytes = sizeof(T),
                         .undirected = !arcs.directed,
                         .peels = options.pendant_trees == PendantTreeRemoval::yes && !whole,
                         .unit = arcs.is_unit(),
                         .method = whole ? PairsMethod::floyd_warshall : options.method,
                         .block = plan ? plan->block : options.block,
                         .threads = world.team().size()};
    if (!plan) return bytes_on_one_rank(gemm, of);
    const double searches = may_search(options) ? bytes_by_rows(of, rows_layout(n, world.size()).rows.size_on(0)) : 0;
    if (is_search(options.method)) return near * searches;
    return near * std::max(searches, bytes_on_a_grid(gemm, of, plan->grid, !options.checkpoint.folder.empty()));
  };
  const double here = need(arcs.vertices());
  world.agree(
      here <= has,
      fmt::format("{} vertices need {} of memory for all pairs in values of {} bytes (this machine has {} free; "
                  "n = {} would fit). Take a narrower --type, more machines, or a part of the graph; or "
                  "work on a file: --out-of-core --output D.tiles.",
                  arcs.vertices(), bytes_text(here), sizeof(T), bytes_text(has),
                  here <= has ? arcs.vertices() : greatest_that_fits(has, need)));
}

/// Throws UsageError, before anything is computed, for a run that a device cannot do.
template <class T>
void check_device(const AllPairsOptions& options) {
  if (!options.device) return;
  const auto refuse = [](bool bad, const std::string& what, const std::string& why) {
    if (bad) throw UsageError(fmt::format("{} on a device ({}). Change it, or take --device cpu.", what, why));
  };
  refuse(!kOnDevice<T>, fmt::format("values of {}", name_of(kElementOf<T>)),
         "its kernels are for float32, int32, uint16");
  refuse(options.semiring != Semiring::min_plus, fmt::format("{}", name_of(options.semiring)), "it computes min_plus");
  refuse(is_search(options.method), fmt::format("method {}", options.method ? name_of(*options.method) : ""),
         "it computes Floyd-Warshall");
}

template <class T>
std::optional<GainCycle> closure_of(const Gemm& gemm, Team& team, MatrixView<T> d, const AllPairsOptions& options,
                                    const FloydWarshallOptions& how, FloydWarshallReport& report) {
  if constexpr (kOnDevice<T>)
    if (options.device)
      return floyd_warshall_on_device<T>(DeviceGemm(*options.device, kElementOf<T>, options.device_tile), d, how,
                                         &report);
  return floyd_warshall<T>(gemm, team, d, how, &report);
}

/// d <- the closure of the arcs by Floyd-Warshall, or the result of the requested number of steps.
template <class T>
void close_arcs(Team& team, const Gemm& gemm, const ReplicatedCsr<T>& arcs, const AllPairsOptions& options,
                MatrixView<T> d, AllPairsReport& report) {
  set_arc_entries(team, arcs, options.semiring, d);
  FloydWarshallReport run;
  const FloydWarshallOptions how{.block = options.block,
                                 .undirected = !arcs.directed,
                                 .steps = options.on_grid.steps,
                                 .after_block = [&](std::int64_t blocks) {
                                   report_progress(options.progress, blocks, (d.rows + run.block - 1) / run.block);
                                   return true;
                                 }};
  if (closure_of<T>(gemm, team, d, options, how, run)) refuse_gain_cycle(arcs, options.semiring);
  if (adds_to_no_path(arcs, options.semiring)) restore_no_path(team, options.semiring, d);
  report.add(run);
}

template <class T>
AllPairs<T> on_one_rank(World& world, const ReplicatedCsr<T>& arcs, const AllPairsOptions& options) {
  AllPairs<T> all;
  AllPairsReport& report = all.report;
  Team& team = world.team();
  const Algebra algebra = all_pairs_algebra(arcs, options.semiring);
  const Gemm gemm(algebra, options.blocking);
  RankTimer timer(world);
  const bool as_it_is =
      options.pendant_trees == PendantTreeRemoval::no && options.method == PairsMethod::floyd_warshall;
  if (is_partial(options) || as_it_is || options.semiring != Semiring::min_plus) {
    all.distances.local = Matrix<T>(arcs.vertices(), arcs.vertices());
    close_arcs(team, gemm, arcs, options, all.distances.local.view(), report);
    report.method = name_of(PairsMethod::floyd_warshall);
    report.compute_seconds = timer.lap();
  } else {
    PairsReport run;
    PairsOptions how{.method = options.method, .delta = options.delta, .pendant_trees = options.pendant_trees};
    if (options.device) how.method = PairsMethod::floyd_warshall;
    if (!how.method)
      how.operations_per_second = kOfPeak * peak_operations_per_second(team, algebra, gemm.isa(), kPeakSeconds);
    all.distances.local = core_pairs<T>(
        team, arcs, how,
        [&](const ReplicatedCsr<T>& core, MatrixView<T> d) { close_arcs(team, gemm, core, options, d, report); }, &run);
    report.method = name_of(run.method);
    report.components = run.components;
    report.peeled = run.peeled;
    report.delta = run.delta;
    report.peel_seconds = run.peel_seconds;
    report.compute_seconds = run.core_seconds;
    report.expand_seconds = run.expand_seconds;
  }
  all.distances.layout = GridLayout(arcs.vertices(), std::max(report.block, kWrittenBlock), {});
  if (!is_partial(options)) check_no_path_is_lost(world, arcs, options.semiring, all.distances, options.device);
  return all;
}

/// The search that takes the place of Floyd-Warshall on `plan`'s grid, the same on all ranks; none if none is faster.
/// Collective.
template <class T>
std::optional<PairsMethod> agree_on_search(World& world, PreparedArcs<T>& prepared, const AllPairsOptions& options,
                                           const GridPlan& plan) {
  if (!may_search(options)) return {};
  if (options.method) return options.method;
  std::array<double, kPairsMethods> seconds;
  seconds.fill(HUGE_VAL);
  world.collective_try([&] {
    for (const MethodEstimate& e : estimate_methods(world.team(), prepared, plan.expected_s, world.size()))
      seconds[static_cast<std::size_t>(e.method)] = e.seconds;
  });
  for (double& s : seconds) s = world.max(s);  // the slowest rank's; infinite if one rank did not try it
  const auto best = static_cast<PairsMethod>(std::ranges::min_element(seconds) - seconds.begin());
  return is_search(best) ? std::optional(best) : std::nullopt;
}

/// Each rank searches from the sources of its rows.
template <class T>
AllPairs<T> by_rows(World& world, PreparedArcs<T>& prepared, const AllPairsOptions& options, PairsMethod method) {
  AllPairs<T> all;
  const ReplicatedCsr<T>& arcs = prepared.given();
  all.distances.layout = rows_layout(arcs.vertices(), world.size());
  const BlockCyclic& rows = all.distances.layout.rows;
  std::vector<Local> sources;
  for (std::int64_t i = 0; i < rows.size_on(world.rank()); ++i)
    sources.push_back(static_cast<Local>(rows.index_of(world.rank(), i)));
  all.distances.local = Matrix<T>(static_cast<std::int64_t>(sources.size()), arcs.vertices());
  RankTimer timer(world);
  world.collective_try([&] {
    all.report.delta =
        search_rows<T>(world.team(), prepared, search_of(method), sources, all.distances.local.view(), options.delta)
            .delta;
  });
  all.report.method = name_of(method);
  all.report.compute_seconds = timer.lap();
  check_no_path_is_lost(world, arcs, Semiring::min_plus, all.distances);
  return all;
}

template <class T>
AllPairs<T> on_a_grid(World& world, const ReplicatedCsr<T>& arcs, const AllPairsOptions& options,
                      const GridPlan& plan) {
  AllPairs<T> all;
  AllPairsReport& report = all.report;
  const Gemm gemm(all_pairs_algebra(arcs, options.semiring), options.blocking);
  report.plan = plan;
  GridOptions on_grid = options.on_grid;
  plan.apply_to(on_grid);
  on_grid.progress = options.progress;
  on_grid.device = options.device;
  // Every rank has all arcs and passes its share of them.
  std::vector<MatrixEntry<T>> mine;
  for (Vertex v = world.rank(); v < arcs.vertices(); v += world.size())
    for (Edge e = arcs.begin(v); e < arcs.end(v); ++e)
      mine.push_back({v, arcs.heads[e], entry_of(options.semiring, arcs.weights[e])});
  const GridLayout layout(arcs.vertices(), plan.block, plan.grid);
  all.distances = distances_from_entries<T>(world, options.semiring, layout, mine);
  RankTimer timer(world);
  const GridRun run =
      options.checkpoint.folder.empty()
          ? floyd_warshall_grid(world, gemm, all.distances, on_grid, options.pauses)
          : floyd_warshall_saved(world, gemm, all.distances, on_grid, options.checkpoint, report.saved.emplace());
  world.collective_try([&] {
    if (run.gain_vertex >= 0) refuse_gain_cycle(arcs, options.semiring);
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
  if (adds_to_no_path(arcs, options.semiring))
    restore_no_path(world.team(), options.semiring, all.distances.local.view());
  if (run.next == layout.rows.blocks())
    check_no_path_is_lost(world, arcs, options.semiring, all.distances, options.device);
  return all;
}

}  // namespace

template <class T>
AllPairs<T> all_pairs(World& world, const ReplicatedCsr<T>& arcs, const AllPairsOptions& options) {
  const bool one_rank =
      world.size() == 1 && !options.grid.shape && !options.grid.placement && options.checkpoint.folder.empty();
  world.collective_try([&] {
    check(arcs.vertices() > 0, "{}: there is no vertex (so there are no pairs). Give another graph.", arcs.name);
    if (is_partial(options) && is_search(options.method))
      throw UsageError(
          fmt::format("{} steps of method {} (only fw can stop after some steps). Leave them out, or take fw.",
                      options.on_grid.steps, name_of(*options.method)));
    check_device<T>(options);
    check_closure(arcs, options.semiring);
    check_sums(arcs, options.semiring, options.device);
    if (options.semiring != Semiring::min_plus && is_search(options.method))
      throw UsageError(fmt::format("the method is {} over {} (searches find shortest paths). Leave it out, or take fw.",
                                   name_of(*options.method), name_of(options.semiring)));
    if (!one_rank && is_search(options.method) && !may_search(options))
      throw UsageError(fmt::format(
          "the method is {} on a grid of {} ranks{} (a search fills whole rows of its rank, and is not saved). Leave "
          "the method or what is for grids out: --grid, --placement, --variant, --broadcast, --chunk, --checkpoint.",
          name_of(*options.method), world.size(), options.checkpoint.folder.empty() ? "" : " with a checkpoint"));
  });
  std::optional<GridPlan> plan;
  if (!one_rank) {
    GridConstraints constraints = options.grid;
    constraints.block = options.device ? device_grid_block(options.block) : options.block;
    plan = agree_on_grid(world, options.machine, Gemm(all_pairs_algebra(arcs, options.semiring), options.blocking),
                         arcs.vertices(), constraints);
    // The model's blocks are at most n; those of a device are whole units, also of a smaller matrix.
    if (options.device) plan->block = constraints.block;
  }
  check_memory(world, arcs, options, plan ? &*plan : nullptr);
  PreparedArcs<T> prepared(arcs);
  const std::optional<PairsMethod> search = plan ? agree_on_search(world, prepared, options, *plan) : std::nullopt;
  AllPairs<T> all = search ? by_rows(world, prepared, options, *search)
                    : plan ? on_a_grid(world, arcs, options, *plan)
                           : on_one_rank(world, arcs, options);
  if constexpr (std::is_same_v<T, double>)
    if (!is_partial(options)) check_whole_sums(world, arcs, options.semiring, all.distances);
  all.report.semiring = options.semiring;
  all.report.rounded = arcs.rounded;
  all.report.matrix_bytes = all.distances.local.memory_bytes();
  return all;
}

#define ATOLL_ALL_PAIRS_OF(T) template AllPairs<T> all_pairs(World&, const ReplicatedCsr<T>&, const AllPairsOptions&);
ATOLL_ALL_PAIRS_OF(float)
ATOLL_ALL_PAIRS_OF(double)
ATOLL_ALL_PAIRS_OF(std::int32_t)
ATOLL_ALL_PAIRS_OF(std::uint16_t)
ATOLL_ALL_PAIRS_OF(std::uint8_t)
#undef ATOLL_ALL_PAIRS_OF

}  // namespace atl
