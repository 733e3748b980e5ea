// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/gemm.hpp>

/// Chooses the tiles of floyd_warshall_tiles() and how many of them memory holds.
///
///     const TilesPlan plan = plan_tiles(gemm, n, sizeof(float), {.undirected = true, .memory_bytes = 7e8});
///     plan.streamed_bytes / kDiskBytesPerSecond;                 // seconds of disk traffic, beside the products
namespace atl {

// Assumed rate of a disk that reads and writes at the same time: a virtual disk in a cloud reached 410 MB/s.
inline constexpr double kDiskBytesPerSecond = 4e8;

struct TilesPlan {
  std::int64_t block = 0, frames = 0;
  std::size_t memory_bytes = 0;  ///< for frames and packed panels
  double streamed_bytes = 0;     ///< read and written because memory does not hold all tiles
};

struct TilesMachine {
  bool undirected = false;
  double operations_per_second = 1e11, memory_bytes = 1e9;
  std::int64_t block = 0;  ///< 0: choose it
};

/// The tiles' side and the number in memory. Throws InputError if memory cannot hold a row of the smallest tiles.
TilesPlan plan_tiles(const Gemm& gemm, std::int64_t n, std::size_t value_bytes, const TilesMachine& machine);

}  // namespace atl
