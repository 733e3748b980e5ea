// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/gemm.hpp>

/// How a matrix is cut into tiles for floyd_warshall_tiles(), and how many of them are in memory at a time.
///
///     const TilesPlan plan = plan_tiles(gemm, n, sizeof(float), {.undirected = true, .memory_bytes = 7e8});
///     plan.streamed_bytes / kDiskBytesPerSecond;                 // what the disk takes, beside the products
namespace atl {

// What a disk moves at least, reading and writing at a time: a virtual one of a cloud did 410 MB/s.
inline constexpr double kDiskBytesPerSecond = 4e8;

struct TilesPlan {
  std::int64_t block = 0, frames = 0;
  std::size_t memory_bytes = 0;  ///< of frames, and of what is packed
  double streamed_bytes = 0;     ///< read and written because not all tiles are in memory at a time
};

struct TilesMachine {
  bool undirected = false;
  double operations_per_second = 1e11, memory_bytes = 1e9;
  std::int64_t block = 0;  ///< 0: to be chosen
};

/// The tiles' side and how many are in memory. InputError where memory has not room for a row of the smallest ones.
TilesPlan plan_tiles(const Gemm& gemm, std::int64_t n, std::size_t value_bytes, const TilesMachine& machine);

}  // namespace atl
