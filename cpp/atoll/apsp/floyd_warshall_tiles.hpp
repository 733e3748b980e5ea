// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs.hpp>
#include <atoll/apsp/floyd_warshall.hpp>
#include <atoll/apsp/mapped_tiles.hpp>

/// All pairs of a matrix that lies in a file and need not fit in memory, on one rank.
///
///     auto tiles = MappedTiles<float>::create(world, "d.tiles", n, streamed_block(n, 4, rate, memory));
///     fill_tiles(team, arcs, tiles, options);                 // before any path is longer than an arc
///     floyd_warshall_tiles(gemm, team, tiles, options);       // as floyd_warshall() of a matrix
///     tiles.commit();
///
/// Memory beside the file's pages: a block row, packed, and three tiles; of the file's pages four tiles are in use at a
/// time. Reads and writes of a step are hidden behind its 2 n^2 b operations where b is large enough: streamed_block().
namespace atl {

struct TilesOptions {
  bool undirected = false;  ///< only tiles of the upper half are worked on; the lower half is mirrored in the end
  /// Tiles that are done are written and may leave memory at once, the next ones are fetched. Off where the file fits in
  /// memory: the system then writes when it likes.
  bool streams = true;
};

/// Side of the tiles. A step of b pivots moves every value from the disk and back, 2 n^2 w bytes, and has 2 n^2 b
/// operations: it hides the disk from b = rate * w / disk on. At most what `memory` holds, half of it for what is packed
/// and the tiles in use: (n b + 8 b^2) w. Tiles are of nearly one size, their rows an odd number of 64 bytes where
/// that can be, so that a column does not fall on one set of the cache.
std::int64_t streamed_block(std::int64_t n, std::size_t value_bytes, double operations_per_second, double memory_bytes);

/// 0 on the diagonal, the arcs' weights, else kNoPath. Of an undirected matrix the upper half alone.
template <class T>
void fill_tiles(Team& team, const Arcs<T>& arcs, const MappedTiles<T>& tiles, const TilesOptions& options);

/// tiles <- their closure. A gain cycle is returned as floyd_warshall() does it.
template <class T>
std::optional<GainCycle> floyd_warshall_tiles(const Gemm& gemm, Team& team, const MappedTiles<T>& tiles,
                                              const TilesOptions& options = {}, FloydWarshallReport* report = nullptr);

}  // namespace atl
