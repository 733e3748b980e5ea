// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall/tiles_plan.hpp>
#include <atoll/apsp/store/tile_cache.hpp>
#include <atoll/apsp/store/tile_file.hpp>

/// Floyd-Warshall over a matrix that lies in a file and need not fit in memory, on one rank.
///
///     const TilesPlan plan = plan_tiles(gemm, n, sizeof(float), {.undirected = true, .memory_bytes = 7e8});
///     TileFile<float> tiles(world, "d.tiles", n, plan.block, arcs_hash);
///     floyd_warshall_tiles(gemm, team, arcs, tiles, {.undirected = true, .frames = plan.frames});
///     tiles.commit();
///
/// A step of b pivots passes through all tiles. Memory holds F of the N tiles; a separate thread reads and writes the
/// other N - F in each step while products are computed (store/tile_cache.hpp). That is 2 (N - F) b^2 w bytes beside 2
/// n^2 b operations (half of both if undirected): the longer of the two bounds the time from below.
namespace atl {

struct TilesOptions {
  bool undirected = false;          ///< only tiles of the upper half are computed; the lower half is written at the end
  std::int64_t frames = 0;          ///< tiles in memory, at least 2; 0: all
  std::int64_t every_steps = 0;     ///< record progress after this many steps; 0: at most a twentieth of the time
  std::function<bool()> stop = {};  ///< called after each tile; true ends the run, which can be resumed
};

struct TilesReport : FloydWarshallReport {
  std::int64_t first = 0;  ///< the step it resumed from
  bool stopped = false;
  double bytes_read = 0, bytes_written = 0, wait_seconds = 0, note_seconds = 0;
  std::int64_t notes = 0;
  std::vector<Vertex> paths;  ///< [vertex] how many start there, once the run is complete
};

/// tiles <- the closure of the arcs' lengths, from the step that the file has recorded. Returns an improving cycle like
/// floyd_warshall(). Restores "no path" if arcs are negative. Throws IoError like TileFile.
template <class T>
std::optional<GainCycle> floyd_warshall_tiles(const Gemm& gemm, Team& team, const ReplicatedCsr<T>& arcs,
                                              TileFile<T>& tiles, const TilesOptions& options = {},
                                              TilesReport* report = nullptr);

}  // namespace atl
