// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

namespace atl::cuda {

void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  const char* const text = cudaGetErrorString(error);
  cudaGetLastError();  // or the next call would report it again
  throw DeviceError(fmt::format(
      "{}: {} (the device refused). `atoll doctor` shows the device; nvidia-smi what uses it.", what, text));
}

void check_blocks(std::int64_t blocks) {
  if (blocks >= 0 && blocks <= kMostGridBlocks) return;
  throw DeviceError(
      fmt::format("a kernel of {} blocks (a device starts up to {} at a time). Take fewer columns at a time, a smaller "
                  "problem, or more devices.",
                  blocks, kMostGridBlocks));
}

}  // namespace atl::cuda
