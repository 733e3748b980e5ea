// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <cstdint>

/// The kernels of CoLa's products: the one place where another sparse product can be put in. All of them enqueue.
namespace atl::cuda {

/// Nonzeros in compressed sparse rows, in a device's memory.
struct SparseRows {
  std::int64_t rows = 0;
  const Edge* offsets = nullptr;
  const Local* places = nullptr;
  const float* values = nullptr;
};

/// Nonzeros in compressed sparse columns, of which each belongs to a row of a peer's buffer.
struct SparseColumns {
  std::int64_t columns = 0;
  const Rank* peers = nullptr;
  const Local* positions = nullptr;
  const Edge* offsets = nullptr;
  const Local* rows = nullptr;
  const float* values = nullptr;
};

/// The largest workgroup: its buffers' addresses are arguments of a kernel.
inline constexpr Rank kMostPeers = 128;

/// Buffers of a workgroup's PEs that kernels can read as memory.
struct PeerBuffers {
  const float* data[kMostPeers];
  std::int64_t stride[kMostPeers];
};

/// C <- A B, or C <- C + A B (algorithm 1, lines 3-11).
void multiply_rows(const SparseRows& a, DeviceView<const float> b, DeviceView<float> c, bool add, StreamHandle stream);

/// C <- C + A B, where each row of B is read from a peer's buffer once (algorithm 1, lines 13-22). Sums are atomic, as
/// columns meet in rows of C.
void multiply_columns(const SparseColumns& a, const PeerBuffers& b, DeviceView<float> c, StreamHandle stream);

/// Row i of `to` <- row rows[i] of `from`, or row i without a list (algorithm 2, lines 10-13).
void gather_rows(DeviceView<const float> from, const Local* rows, DeviceView<float> to, StreamHandle stream);

}  // namespace atl::cuda
