// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "../simt/launch.hpp"
#include "../simt/primitives.hpp"

/// How the columns of a dense matrix are spread over lanes. A group of 8, 16 or 32 lanes works on one row at a time; each
/// lane has `vectors` pieces of `vector` neighbouring columns, moved by one instruction each. Columns beyond what a group
/// covers are panels, done one after the other, so that the second-level cache holds the rows of one of them.
namespace atl::cuda {

struct LaneShape {
  int vector = 1;   ///< columns of one load
  int vectors = 1;  ///< loads of a lane for one row
  int lanes = 8;    ///< of a group
  long long panels = 1;
  long long width = 0;  ///< columns of a panel; the last one may have fewer
};

/// The most values, up to `most`, that are moved together from an address of this stride.
inline int vector_of(const void* data, std::size_t value_bytes, long long stride, int most) {
  int out = most;
  while (out > 1 && (stride % out != 0 || reinterpret_cast<std::uintptr_t>(data) % (value_bytes * out) != 0)) out /= 2;
  return out;
}

/// The same for what is written to C, 16 bytes at a time: no limit on wider vectors where that is possible.
inline int vector_of_result(const DeviceView<float>& c, int most) {
  const int of_c = vector_of(c.data, sizeof(float), c.stride, 4);
  return of_c == 4 ? most : of_c;
}

/// most: what addresses and strides allow.
inline LaneShape lane_shape(long long columns, int most) {
  constexpr int kFewest = 8, kMost = 32, kColumns = 4;  // columns of a lane, unless one load has more
  LaneShape out;
  out.vector = most;
  while (columns % out.vector != 0) out.vector /= 2;
  // All lanes have something to do before any has more.
  while (out.vector > 1 && kFewest * out.vector / 2 >= columns) out.vector /= 2;
  while (out.lanes < kMost && out.lanes * out.vector < columns) out.lanes *= 2;
  const long long covered = kMost * std::max(kColumns, out.vector);
  out.panels = std::max(1LL, (columns + covered - 1) / covered);
  // Parts are as even as possible, and begin at whole sectors of memory.
  out.width = out.panels == 1 ? columns : ((columns + out.panels - 1) / out.panels + 31) / 32 * 32;
  while (static_cast<long long>(out.lanes) * out.vector * out.vectors < out.width) out.vectors *= 2;
  return out;
}

template <int N>
using Constant = std::integral_constant<int, N>;

/// Calls f(vector) with the vector as a constant; Widest: the largest one that is compiled.
template <int Widest, class F>
void with_vector(int vector, F&& f) {
  if constexpr (Widest >= 8)
    if (vector == 8) return f(Constant<8>{});
  if (vector == 4) return f(Constant<4>{});
  if (vector == 2) return f(Constant<2>{});
  f(Constant<1>{});
}

/// Calls f(vector, vectors) with the shape's.
template <int Widest, class F>
void with_shape(const LaneShape& shape, F&& f) {
  with_vector<Widest>(shape.vector, [&](auto vector) {
    if constexpr (vector() <= 2)
      if (shape.vectors == 2) return f(vector, Constant<2>{});
    if constexpr (vector() == 1)
      if (shape.vectors == 4) return f(vector, Constant<4>{});
    f(vector, Constant<1>{});
  });
}

constexpr int kSparseThreads = 128, kSparseWarps = kSparseThreads / 32;

/// Blocks that have a group of lanes for each of `count` tasks.
inline long long task_blocks(long long count, int lanes) { return blocks_for(count * lanes, kSparseThreads); }

/// Where a thread stands in its launch of panels x task_blocks.
struct GroupPlace {
  int lane, first_lane;  // of its group; the group's first in the warp
  long long task, panel;

  __device__ GroupPlace(int lanes, long long blocks) {
    const int in_warp = static_cast<int>(threadIdx.x) % 32;
    lane = in_warp & (lanes - 1);
    first_lane = in_warp - lane;
    panel = blockIdx.x / blocks;
    task = ((blockIdx.x - panel * blocks) * kSparseThreads + threadIdx.x) / lanes;
  }
};

}  // namespace atl::cuda
