// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/grid/grid.hpp>
#include <atoll/apsp/store/checkpoint.hpp>

/// All pairs over a grid of ranks with checkpoints.
///
///     SavedRun saved;
///     const GridRun run = floyd_warshall_saved(world, gemm, d, options, {.folder = "run", .every_seconds = 1800}, saved);
namespace atl {

struct SavedRun {
  std::int64_t first = 0;  ///< the block step it resumed from
  CheckpointReport checkpoint;
};

/// Like floyd_warshall_grid(), but resumes from a checkpoint in the folder if there is one, and saves when it is due.
/// `d` must always be the initial matrix: its hash identifies the graph of a checkpoint. checkpoint.run is ignored.
/// Collective; throws like Checkpoint, and RunStopped, each the same on all ranks.
template <class T>
GridRun floyd_warshall_saved(World& world, const Gemm& gemm, Distances<T>& d, const GridOptions& options,
                             const CheckpointOptions& checkpoint, SavedRun& saved);

}  // namespace atl
