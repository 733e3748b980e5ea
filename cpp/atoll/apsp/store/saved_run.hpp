// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/grid.hpp>
#include <atoll/apsp/store/checkpoint.hpp>

/// All pairs over a grid of ranks, saved now and then.
///
///     SavedRun saved;
///     const GridRun run = floyd_warshall_saved(world, gemm, d, options, {.folder = "run", .every_seconds = 1800}, saved);
namespace atl {

/// SIGTERM came: what was done is saved, and the message says how to go on. The command's exit code is 1.
class RunStopped : public Error {
 public:
  using Error::Error;
};

struct SavedRun {
  std::int64_t first = 0;  ///< the block step that it went on from
  CheckpointReport checkpoint;
};

/// floyd_warshall_grid() that first goes on from what the folder has, if it has something, and saves when it is due. `d`
/// is what the run starts from, always: by its hash a checkpoint of another graph is known. checkpoint.run does not
/// count. Collective; throws as Checkpoint does, and RunStopped, each the same on all ranks.
template <class T>
GridRun floyd_warshall_saved(World& world, const Gemm& gemm, Distances<T>& d, const GridOptions& options,
                             const CheckpointOptions& checkpoint, SavedRun& saved);

}  // namespace atl
