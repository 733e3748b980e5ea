// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/apsp/store/saved_run.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

/// What a run of all pairs tells of itself.
///
///     const AllPairsReport report = all_pairs(world, arcs, {}).report;
///     report.to_json();                                  // "result" of `atoll run apsp --json`
namespace atl {

/// What a run out of core moved, and what it went on from.
struct FromDisk {
  std::int64_t first = 0;        ///< block step
  std::size_t memory_bytes = 0;  ///< of tiles and what is packed
  double bytes_read = 0, bytes_written = 0;
  std::int64_t notes = 0;  ///< how often what is done was noted
  double note_seconds = 0;
};

/// How it went, on this rank; operations are those of all ranks.
struct AllPairsReport : FloydWarshallReport {
  Semiring semiring = Semiring::min_plus;
  std::string method;  ///< of the largest component
  double delta = 0;    ///< of delta-stepping
  double peel_seconds = 0, compute_seconds = 0, expand_seconds = 0;
  double copy_seconds = 0;       ///< on a grid: taking chunks and passing them on
  double wait_seconds = 0;       ///< on a grid: for diagonal blocks and panels that had not come
  double broadcast_seconds = 0;  ///< on a grid: during which a broadcast was under way here
  double commit_seconds = 0;     ///< out of core: until all was on the disk
  std::int64_t components = 1, peeled = 0;
  Edge rounded = 0;                       ///< arcs whose weight is not as it was read (an undirected edge is two)
  std::vector<double> step_seconds = {};  ///< of each, on a grid where only some are done
  std::size_t matrix_bytes = 0;           ///< of this rank
  std::optional<GridPlan> plan = {};      ///< on a grid
  std::optional<SavedRun> saved = {};
  std::optional<FromDisk> from_disk = {};
  /// The share of the broadcasts' time for which nobody waited, from 0 to 1; 1 where nothing was broadcast.
  double hidden() const;
  nlohmann::json to_json() const;
};

}  // namespace atl
