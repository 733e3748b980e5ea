// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "cola_part.hpp"

namespace atl::cuda {

/// How the PEs of a pipeline reach each other: all that differs between PEs in one process, over NVSHMEM and over NCCL.
/// Calls are about one PE of this process, `part`, and only enqueue, each on the stream of the part that is named.
class ColaLinks {
 public:
  explicit ColaLinks(std::vector<ColaPart> parts) : parts_(std::move(parts)) {}
  virtual ~ColaLinks() = default;

  /// The PEs of this process.
  std::span<ColaPart> parts() { return parts_; }

  /// Before a product with so many columns: room in all buffers, the rows of B of each PE, on its compute stream, and
  /// the tables by which kernels find the rows of peers.
  virtual void begin(std::int64_t columns, std::span<const DeviceView<const float>> b) = 0;

  /// The rows of B that the part's own buffer has in a phase: recvBuf[i][phase % 2] after phase 0. Phase 0 is B itself,
  /// which no put may reach, so it is neither of the two buffers.
  virtual DeviceView<const float> own_buffer(std::size_t part, std::size_t phase) = 0;
  /// Room for the rows of the part's puts.
  virtual DeviceView<float> send_buffer(std::size_t part) = 0;

  /// Puts `rows` to where the part's plan says, for a phase; on its transfer stream.
  virtual void put(std::size_t part, std::size_t phase, DeviceView<const float> rows) = 0;
  /// Brings the rows that the part needs of its peers in a phase, where kernels cannot read them from there; on its
  /// transfer stream.
  virtual void fetch(std::size_t part, std::size_t phase) = 0;

  /// Enqueues a barrier of all PEs on the compute streams: kernels enqueued after it start when every PE has reached
  /// it, and see the rows put before it. Does nothing where transfers wait for each other by themselves (NCCL).
  virtual void barrier() = 0;

  /// Gives back what PEs share, after all streams have been waited for. Collective.
  virtual void close() = 0;

 private:
  std::vector<ColaPart> parts_;
};

/// Memory that grows with the number of columns.
class RowBuffer {
 public:
  RowBuffer() = default;
  RowBuffer(Device& device, Local rows) : device_(&device), rows_(rows) {}
  void grow(std::int64_t columns) {
    values_ = {};
    values_ = DeviceArray<float>(*device_, static_cast<std::size_t>(rows_ * columns));
  }
  /// Its first rows, without gaps.
  DeviceView<float> view(std::int64_t rows, std::int64_t columns) const {
    return {values_.data(), rows, columns, columns};
  }

 private:
  Device* device_ = nullptr;
  std::int64_t rows_ = 0;
  DeviceArray<float> values_;
};

}  // namespace atl::cuda
