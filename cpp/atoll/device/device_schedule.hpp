// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <vector>

/// Which group of lanes does which nonzeros of a sparse matrix on a device. Rows that are longer than 512 nonzeros are cut
/// into pieces of 256 or, from 65,536 on, into about as many pieces as a piece has nonzeros. The cut depends only on the
/// matrix, so that sums do not depend on a device nor on its order of work.
namespace atl {

/// On the host.
struct SparseTasks {
  std::vector<DeviceSparseTask> tasks;
  std::vector<DeviceLongRow> long_rows;
  Local pieces = 0;
};
/// Whole rows together, of about as many nonzeros a task. Tasks follow each other in the matrix. offsets: rows + 1.
SparseTasks grouped_tasks(std::span<const Edge> offsets);
/// A task for each row. Among 1,024 tasks that follow each other the long ones come first, so that groups of a warp, which
/// go on together, have about as much to do.
SparseTasks row_tasks(std::span<const Edge> offsets);

/// In a device's memory.
class DeviceSchedule {
 public:
  /// Waits for the stream.
  DeviceSchedule(const Stream& stream, const SparseTasks& tasks);

  DeviceTasks view() const {
    return {tasks_.data(), static_cast<std::int64_t>(tasks_.size()), long_rows_.data(),
            static_cast<std::int64_t>(long_rows_.size())};
  }
  Local pieces() const { return pieces_; }
  std::size_t memory_bytes() const { return tasks_.memory_bytes() + long_rows_.memory_bytes(); }

 private:
  DeviceArray<DeviceSparseTask> tasks_;
  DeviceArray<DeviceLongRow> long_rows_;
  Local pieces_ = 0;
};

}  // namespace atl
