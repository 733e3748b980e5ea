// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/cola/cola_plan.hpp>
#include <atoll/device/device.hpp>
#include <atoll/device/device_spmm.hpp>
#include <vector>

#include "cola_kernels.hpp"

namespace atl::cuda {

/// What one PE keeps on its device: its plan, and its streams of work.
class ColaPart {
 public:
  /// Copies the plan to the device, and waits for that. Throws InputError if the workgroup has more PEs than
  /// kMostPeers.
  ColaPart(Device& device, const ColaPlan& plan);

  struct Phase {
    Local buffer_rows = 0;
    DeviceSpmm<float> local;  ///< by rows of the own buffer
    SparseColumns remote;
  };
  struct Put {
    Rank to = 0;
    Local first = 0, count = 0;
    const Local* rows = nullptr;  ///< null: all
  };

  ColaGroups groups;
  Rank pe = 0;
  Local own_rows = 0;            ///< of B
  std::int64_t result_rows = 0;  ///< of A and C
  std::vector<Phase> phases;
  std::vector<Put> puts;      ///< [phase - 1]
  Stream compute, transfers;  ///< products, and beside them the transfers of the next phase
  Event computed, transferred;

  /// Room for products of so many columns.
  void reserve(std::int64_t columns);
  /// The most rows of the buffers of all phases j >= 1 with j % 2 == slot.
  Local slot_rows(int slot) const;
  /// The most rows of a put.
  Local send_rows() const;
  /// The most columns that are fetched from peers in a phase.
  Local fetched_rows() const;
  /// The first PE of the workgroup, and how many there are.
  Rank first_peer() const { return groups.begin(groups.of(pe)); }
  Rank peers() const { return groups.end(groups.of(pe)) - first_peer(); }

 private:
  template <class T>
  const T* keep(const T* from, std::size_t count);

  std::vector<DeviceArray<std::byte>> arrays_;
};

}  // namespace atl::cuda
