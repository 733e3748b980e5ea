// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../simt/primitives.hpp"

/// Functions that the threads of a warp compute together. All 32 of them call these.
namespace atl::cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = ~0u;

__device__ __forceinline__ int lane_here() { return static_cast<int>(threadIdx.x) % kWarp; }

/// The sum over groups of `width` neighbouring lanes (a power of two), always in the same order; all have it.
template <class T>
__device__ __forceinline__ T sum_of_lanes(T mine, int width = kWarp) {
  for (int apart = width / 2; apart > 0; apart /= 2) mine += __shfl_xor_sync(kAllLanes, mine, apart);
  return mine;
}

/// The sum over this lane and those before it.
__device__ __forceinline__ int sum_up_to_lane(int mine) {
  for (int apart = 1; apart < kWarp; apart *= 2) {
    const int before = __shfl_up_sync(kAllLanes, mine, static_cast<unsigned>(apart));
    if (lane_here() >= apart) mine += before;
  }
  return mine;
}

}  // namespace atl::cuda
