// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/device/cola/cola_plan.hpp>
#include <atoll/device/device.hpp>
#include <atoll/device/device_columns.hpp>
#include <atoll/device/device_spmm.hpp>
#include <vector>

namespace atl::cuda {

/// Where kernels read the rows of a workgroup: the address of each peer's buffer, and last that of the PE's own memory
/// for rows that have been fetched. In the device's memory, as DeviceColumns wants them.
class PeerTables {
 public:
  PeerTables(Device& device, std::size_t size) : on_device_(device, size), addresses_(size) {}
  /// Null where no row is read. Waits for the stream, which may read what was here, only if an address is another one.
  void set(const Stream& stream, const std::vector<const void*>& addresses, std::int64_t stride);
  const DeviceTables& view() const { return view_; }

 private:
  DeviceArray<const void*> on_device_;
  std::vector<const void*> addresses_;
  DeviceTables view_;
};

/// The state of one PE on its device: its plan, and its streams of work.
class ColaPart {
 public:
  /// readable: [peer of the workgroup] whether kernels read its buffers where they lie. Rows of the others are fetched
  /// into memory of the PE, one after the other as their columns are in the plan. Copies the plan to the device, and
  /// waits for that.
  ColaPart(Device& device, const ColaPlan& plan, const std::vector<bool>& readable);

  struct Phase {
    Local buffer_rows = 0;
    DeviceSpmm<float> local;      ///< by rows of the own buffer
    DeviceColumns<float> remote;  ///< by columns; owners are those of PeerTables
    Local received_rows = 0;      ///< that are fetched
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

  /// The nonzeros of phase 0, and of later ones by their buffers.
  PeerTables& tables(std::size_t phase) { return tables_[phase == 0 ? 0 : 1 + phase % 2]; }
  /// C <- C + the part's nonzeros in columns of peers; on the compute stream.
  void add_remote(std::size_t phase, DeviceView<float> c) {
    phases[phase].remote.add(compute, tables(phase).view(), c);
  }

  /// Room for products of so many columns.
  void reserve(std::int64_t columns);
  /// The most rows of the buffers of all phases j >= 1 with j % 2 == slot.
  Local slot_rows(int slot) const;
  /// The most rows of a put.
  Local send_rows() const;
  /// The most rows that are fetched in a phase.
  Local received_rows() const;
  /// The first PE of the workgroup, and how many there are.
  Rank first_peer() const { return groups.begin(groups.of(pe)); }
  Rank peers() const { return groups.end(groups.of(pe)) - first_peer(); }

 private:
  DeviceColumns<float> columns_of(const ColaPhase& phase, const std::vector<bool>& readable) const;

  std::vector<DeviceArray<Local>> put_rows_;
  std::array<PeerTables, 3> tables_;
};

}  // namespace atl::cuda
