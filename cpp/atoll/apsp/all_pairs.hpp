// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs.hpp>
#include <atoll/apsp/choose_method.hpp>
#include <atoll/apsp/distances.hpp>
#include <atoll/apsp/gemm.hpp>
#include <atoll/apsp/grid_options.hpp>
#include <atoll/apsp/grid_plan.hpp>
#include <atoll/apsp/peel.hpp>
#include <atoll/apsp/saved_run.hpp>
#include <nlohmann/json_fwd.hpp>

/// All pairs' shortest paths of a graph: COAST (SC 2022) on any number of ranks, less of it where the graph allows.
///
///     const Arcs<float> arcs = gather_arcs<float>(world, read_edges(world, "roads.gr"));
///     const AllPairs<float> all = all_pairs(world, arcs, {});          // collective
///     all.distances.local(i, j);                                       // this rank's part of the matrix
///
/// On one rank components are computed one by one and trees that hang from them are taken off first (peel.hpp), an
/// undirected graph costs half, and searches from every source take over where they are cheaper. On several ranks the
/// matrix is computed as it is (floyd_warshall_grid.hpp). Over other semirings (closure.hpp) it is computed as it is, too.
namespace atl {

struct AllPairsOptions {
  Semiring semiring = Semiring::min_plus;  ///< the arcs were gathered for; others than min_plus by Floyd-Warshall
  std::optional<PairsMethod> method = {};  ///< none: what is estimated to be fastest; on a grid Floyd-Warshall
  double delta = 0;                        ///< of delta-stepping; 0: tuned on the first sources
  Peel peel = Peel::yes;
  GridWishes grid = {};                       ///< what is not said is chosen by the model; its block does not count
  std::int64_t block = 0;                     ///< b; 0: on one rank by n and the kernel, on a grid by the model
  std::optional<GemmBlocking> blocking = {};  ///< of products; none: the usual one
  std::optional<ApspMachine> machine = {};    ///< rates for the model (stored_machine); none: the usual ones
  GridOptions on_grid = {};                   ///< look-ahead, kernel, steps; all else of it is the plan's
  GridPauses pauses = {};                     ///< on a grid; with a checkpoint they are its own
  /// With a folder: saved there now and then and gone on with from there (saved_run.hpp). Its `run` does not count. One
  /// rank then computes as a grid of 1 x 1 does.
  CheckpointOptions checkpoint = {.folder = {}, .every_steps = 0, .every_seconds = 1800, .run = {}};
};

/// What a run out of core moved, and what it went on from.
struct FromDisk {
  std::int64_t first = 0;        ///< block step
  std::size_t memory_bytes = 0;  ///< of tiles and what is packed
  double bytes_read = 0, bytes_written = 0;
  std::int64_t notes = 0;  ///< how often what is done was noted
  double note_seconds = 0;
};

/// How it went, on this rank.
struct AllPairsReport {
  Semiring semiring = Semiring::min_plus;
  std::string method;  ///< of the largest component
  std::int64_t block = 0;
  double delta = 0;       ///< of delta-stepping
  double operations = 0;  ///< of Floyd-Warshall: additions and minima that were needed, of all ranks
  double peel_seconds = 0, compute_seconds = 0, expand_seconds = 0;
  double diagonal_seconds = 0, panel_seconds = 0, outer_seconds = 0;
  double copy_seconds = 0;       ///< on a grid: taking chunks and passing them on
  double wait_seconds = 0;       ///< on a grid: for diagonal blocks and panels that had not come
  double broadcast_seconds = 0;  ///< on a grid: during which a broadcast was under way here
  double commit_seconds = 0;     ///< out of core: until all was on the disk
  std::int64_t components = 1, peeled = 0;
  std::int64_t steps = 0;                 ///< blocks that were passed through
  std::vector<double> step_seconds = {};  ///< of each, on a grid where only some are done
  std::size_t matrix_bytes = 0;           ///< of this rank
  std::optional<GridPlan> plan = {};      ///< on a grid
  std::optional<SavedRun> saved = {};
  std::optional<FromDisk> from_disk = {};
  /// The share of the broadcasts' time for which nobody waited, from 0 to 1; 1 where nothing was broadcast.
  double hidden() const;
  nlohmann::json to_json() const;
};

template <class T>
struct AllPairs {
  Distances<T> distances;
  AllPairsReport report;
};

/// Collective. Throws InputError, alike on all ranks: a negative cycle (named), a matrix that does not fit in memory
/// (before anything is computed, with what would fit), a path whose length T does not hold (named: it is never told as no
/// path). UsageError: options that do not go together. RunStopped: SIGTERM, saved.
template <class T>
AllPairs<T> all_pairs(World& world, const Arcs<T>& arcs, const AllPairsOptions& options = {});

/// The algebra of shortest paths over these weights: floats that are never negative have a faster one.
template <class T>
Algebra shortest_paths_algebra(const Arcs<T>& arcs);

/// Whether row `s` is right, by its property alone: every distance is the best over the arcs that enter, and each that is
/// finite is reached from s by arcs that account for it exactly (floats: up to rounding). O(n + m); `entering` are
/// arcs.reversed(). Returns what is wrong, or nothing.
template <class T>
std::optional<std::string> fault_of_row(const Arcs<T>& arcs, const Arcs<T>& entering, Vertex s, std::span<const T> row);

}  // namespace atl
