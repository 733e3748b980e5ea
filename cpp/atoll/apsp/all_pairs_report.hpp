// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/apsp/grid/saved_run.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

/// The report of an all-pairs run.
///
///     const AllPairsReport report = all_pairs(world, arcs, {}).report;
///     report.to_json();                                  // "result" of `atoll run apsp --json`
namespace atl {

/// The bytes that an out-of-core run has moved, and the step it resumed from.
struct FromDisk {
  std::int64_t first = 0;        ///< block step it began with
  std::size_t memory_bytes = 0;  ///< for tiles and packed panels
  double bytes_read = 0, bytes_written = 0;
  std::int64_t notes = 0;  ///< how often progress was recorded
  double note_seconds = 0;
};

/// The report of this rank; operations are summed over all ranks.
struct AllPairsReport : FloydWarshallReport {
  Semiring semiring = Semiring::min_plus;
  std::string method;  ///< used for the largest component
  double delta = 0;    ///< bucket width of delta-stepping
  double peel_seconds = 0, compute_seconds = 0, expand_seconds = 0;
  double copy_seconds = 0;       ///< on a grid: receiving and forwarding chunks
  double wait_seconds = 0;       ///< on a grid: waiting for diagonal blocks and panels
  double broadcast_seconds = 0;  ///< on a grid: while at least one broadcast ran here
  double commit_seconds = 0;     ///< out of core: until everything was on disk
  std::int64_t components = 1, peeled = 0;
  Edge rounded = 0;                       ///< arcs whose weight was rounded (an undirected edge counts twice)
  std::vector<double> step_seconds = {};  ///< per step, if only some steps of a grid are done
  std::size_t matrix_bytes = 0;           ///< of this rank
  std::optional<GridPlan> plan = {};      ///< on a grid
  std::optional<SavedRun> saved = {};
  std::optional<FromDisk> from_disk = {};
  /// The fraction of the broadcasts' time that computation hid, from 0 to 1; 1 if there was no broadcast.
  double hidden() const;
  nlohmann::json to_json() const;
};

}  // namespace atl
