// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/store/distance_file_write.hpp>

namespace atl {

/// All pairs' shortest paths straight into a file of tiles: for a matrix that is larger than memory.
///
///     const AllPairsReport report = all_pairs_in_file(world, arcs, "d.tiles");
///     DistanceFile("d.tiles").distance(17, 42);
///
/// Floyd-Warshall over the whole matrix (floyd_warshall_tiles.hpp), by one rank with its threads; nothing is peeled.
/// options.block is the tiles' side; 0: by n, the speed of processor and disk, and the memory there is.
///
/// A run that was killed, or ended by SIGTERM (RunStopped), has left d.tiles.part: the same call goes on from the last block
/// step that was noted there, every checkpoint.every_steps or as often as costs little. Throws as all_pairs() and
/// write_distances() do; UsageError for several ranks, another method, an ending that is not .tiles, and a folder for
/// checkpoints.
template <class T>
AllPairsReport all_pairs_in_file(World& world, const ReplicatedCsr<T>& arcs, const std::string& path,
                                 const AllPairsOptions& options = {}, Existing existing = Existing::refuse);

}  // namespace atl
