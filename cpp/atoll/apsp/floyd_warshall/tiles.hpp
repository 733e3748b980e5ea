// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall/tiles_plan.hpp>
#include <atoll/apsp/replicated_csr.hpp>
#include <atoll/apsp/store/tile_cache.hpp>
#include <atoll/apsp/store/tile_file.hpp>

/// All pairs of a matrix that lies in a file and need not fit in memory, on one rank.
///
///     const TilesPlan plan = plan_tiles(gemm, n, sizeof(float), {.undirected = true, .memory_bytes = 7e8});
///     TileFile<float> tiles(world, "d.tiles", n, plan.block, arcs_hash);
///     floyd_warshall_tiles(gemm, team, arcs, tiles, {.undirected = true, .frames = plan.frames});
///     tiles.commit();
///
/// A step of b pivots passes through all tiles; those that memory has no room for, N - F of N, are read and written in
/// it, by a thread of its own while products are computed (tile_cache.hpp). That is 2 (N - F) b^2 w bytes beside
/// 2 n^2 b operations (half of both where undirected): whichever takes longer is the floor of the time.
namespace atl {

struct TilesOptions {
  bool undirected = false;       ///< only tiles of the upper half are worked on; the lower half is written in the end
  std::int64_t frames = 0;       ///< tiles in memory, at least 2; 0: all
  std::int64_t every_steps = 0;  ///< note what is done after so many; 0: when it costs a twentieth of the time at most
  std::function<bool()> stop = {};  ///< asked after each tile: true ends the run, to be gone on with
};

struct TilesReport : FloydWarshallReport {
  std::int64_t first = 0;  ///< the step that it went on from
  bool stopped = false;
  double bytes_read = 0, bytes_written = 0, wait_seconds = 0, note_seconds = 0;
  std::int64_t notes = 0;
};

/// tiles <- the closure of the arcs' lengths, from the step on that the file has noted. A gain cycle is returned as
/// floyd_warshall() does it. Of a matrix with negative arcs "no path" is restored. Throws IoError as TileFile does.
template <class T>
std::optional<GainCycle> floyd_warshall_tiles(const Gemm& gemm, Team& team, const ReplicatedCsr<T>& arcs,
                                              TileFile<T>& tiles, const TilesOptions& options = {},
                                              TilesReport* report = nullptr);

}  // namespace atl
