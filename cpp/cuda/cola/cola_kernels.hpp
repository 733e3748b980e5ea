// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <cstdint>

/// The kernel of the part of CoLa's products that reads peers' buffers; the rest is DeviceSpmm and gather_rows(). It
/// enqueues.
namespace atl::cuda {

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

/// C <- C + A B, where each row of B is read from a peer's buffer once (algorithm 1, lines 13-22). Sums are atomic, as
/// columns meet in rows of C.
void multiply_columns(const SparseColumns& a, const PeerBuffers& b, DeviceView<float> c, StreamHandle stream);

}  // namespace atl::cuda
