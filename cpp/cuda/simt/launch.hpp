// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <atoll/device/device.hpp>
#include <cstddef>
#include <type_traits>

/// Starting kernels, with every error checked where it arises.
///
///     launch(scale_rows<float>, {.blocks = rows, .threads = 128}, stream, values, rows, factor);
///
/// All sources of this folder compile with nvcc, and with the host's compiler over tests/cuda/emulation, which runs the
/// same kernels on the host.
namespace atl::cuda {

/// Throws DeviceError that says what failed and what to do.
void check_cuda(cudaError_t error, const char* what);

/// A device starts no more blocks at a time. No kernel here needs as many while its matrices fit a device: 2^31 tiles of
/// 32 x 32 values are 4 TB or more, and rows are fewer than 2^31, of which a block has 4 or more. So none is cut.
inline constexpr std::int64_t kMostGridBlocks = INT32_MAX;

struct LaunchShape {
  std::int64_t blocks = 1;  ///< up to kMostGridBlocks
  int threads = 128;
  std::size_t shared_bytes = 0;
};

inline cudaStream_t stream_of(StreamHandle stream) { return static_cast<cudaStream_t>(stream); }

/// Shared memory beyond this must be asked for.
inline constexpr std::size_t kUsualSharedBytes = 48 << 10;

/// Throws DeviceError unless there are at most kMostGridBlocks: as an unsigned of 32 bits the number would be another one,
/// and a part of the work would be left out.
void check_blocks(std::int64_t blocks);

/// Enqueues the kernel. Arguments are copied. A grid without blocks does nothing.
template <class... P>
void launch(void (*kernel)(P...), const LaunchShape& shape, StreamHandle stream, std::type_identity_t<P>... args) {
  if (shape.blocks == 0) return;
  check_blocks(shape.blocks);
  const auto* function = reinterpret_cast<const void*>(kernel);
  if (shape.shared_bytes > kUsualSharedBytes)
    check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shape.shared_bytes)),
               "asking for shared memory");
  const dim3 grid(static_cast<unsigned>(shape.blocks)), block(static_cast<unsigned>(shape.threads));
#if defined(ATOLL_EMULATED)
  emulation::enqueue(stream_of(stream), grid, block, shape.shared_bytes, [=] { kernel(args...); });
#else
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&args))...};
  check_cuda(cudaLaunchKernel(function, grid, block, pointers, shape.shared_bytes, stream_of(stream)),
             "starting a kernel");
#endif
}

/// Blocks of `each` that cover `count`.
inline std::int64_t blocks_for(std::int64_t count, std::int64_t each) { return (count + each - 1) / each; }

}  // namespace atl::cuda
