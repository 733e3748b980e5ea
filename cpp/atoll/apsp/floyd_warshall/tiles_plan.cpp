// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall/tiles_plan.hpp>
#include <atoll/apsp/store/distance_format.hpp>
#include <atoll/base/byte_count.hpp>
#include <atoll/base/error.hpp>
#include <cmath>

namespace atl {
namespace {

/// A side of `n / count` rounded to whole cache lines: an odd multiple of three lines, since that is a multiple of the
/// sides of most tile kernels, and columns do not share one cache set.
std::int64_t side_of(std::int64_t n, std::int64_t count, std::size_t value_bytes) {
  const auto unit = static_cast<std::int64_t>(3 * 64 / value_bytes);
  const std::int64_t units = ((n + count - 1) / count + unit - 1) / unit;
  return count == 1 ? n : (units | 1) * unit;
}

}  // namespace

TilesPlan plan_tiles(const Gemm& gemm, std::int64_t n, std::size_t value_bytes, const TilesMachine& machine) {
  // Shallower products are slower (int32, n = 8192: 5 % with 576), and smaller tiles save little memory.
  constexpr std::int64_t kLeast = 960;
  const auto w = static_cast<double>(value_bytes), rows = static_cast<double>(n);
  const double compute = (machine.undirected ? 1 : 2) * rows * rows * rows / machine.operations_per_second;
  TilesPlan best;
  double best_seconds = INFINITY, least = INFINITY;
  const auto consider = [&](std::int64_t block) {
    const std::int64_t side = (n + block - 1) / block;
    const std::int64_t all = machine.undirected ? side * (side + 1) / 2 : side * side;
    const double b = static_cast<double>(block), tile = b * b * w;
    // Packed block row k; left factors, where narrow values are packed repeatedly; the diagonal's right factor; a
    // transposed tile; the buffers for closing the diagonal.
    const double packed = 1.03 * rows * b * w + 2 * b * b * gemm.tile().left_bytes + tile +
                          (machine.undirected ? tile : 0) + 3 * b * static_cast<double>(usual_block(gemm, block)) * w;
    const std::int64_t needed = std::min<std::int64_t>(all, 3);
    least = std::min(least, packed + static_cast<double>(needed) * tile);
    const auto frames = std::min(all, static_cast<std::int64_t>((machine.memory_bytes - packed) / tile));
    if (machine.memory_bytes <= packed || frames < needed) return;
    const double streamed = 2 * static_cast<double>(all - frames) * tile * static_cast<double>(side);
    const double seconds = std::max(compute, streamed / kDiskBytesPerSecond) + streamed / 4e9;
    if (seconds >= best_seconds) return;
    best_seconds = seconds;
    best = {block, frames, static_cast<std::size_t>(packed + static_cast<double>(frames) * tile), streamed};
  };
  if (machine.block > 0) {
    consider(std::min(machine.block, n));
  } else {
    // The smallest first: it leaves the most memory for tiles.
    for (std::int64_t side = std::max<std::int64_t>(1, n / kLeast); side >= 1; --side)
      consider(side_of(n, side, value_bytes));
    for (std::int64_t side = n / kLeast + 1; best.block == 0 && side_of(n, side, value_bytes) * 4 > kLeast; ++side)
      consider(side_of(n, side, value_bytes));
  }
  check(
      best.block > 0,
      "{} vertices out of core need {} of memory at least ({} may be used). Free some, or take a narrower --type or a "
      "smaller --block.",
      n, bytes_text(static_cast<double>(least)), bytes_text(static_cast<double>(machine.memory_bytes)));
  return best;
}

}  // namespace atl
