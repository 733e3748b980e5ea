// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/store/distance_file_write.hpp>

namespace atl {

/// All-pairs shortest paths computed in a file of tiles, for a matrix larger than memory.
///
///     const AllPairsReport report = all_pairs_in_file(world, arcs, "d.tiles");
///     DistanceFile("d.tiles").distance(17, 42);
///
/// Floyd-Warshall over the whole matrix (floyd_warshall/tiles.hpp), by one rank with its threads; pendant trees are not
/// removed. options.block is the tiles' side; 0: chosen by n, the speed of processor and disk, and the memory there is.
///
/// A run that was killed, or ended by SIGTERM (RunStopped), leaves d.tiles.part. The same call resumes from the last
/// block step recorded there, every checkpoint.every_steps or as often as costs little. Throws like all_pairs() and
/// write_distances(); UsageError for several ranks, another method, a name that does not end in .tiles, and a folder
/// for checkpoints.
template <class T>
AllPairsReport all_pairs_in_file(World& world, const ReplicatedCsr<T>& arcs, const std::string& path,
                                 const AllPairsOptions& options = {}, Existing existing = Existing::refuse);

}  // namespace atl
