// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/base/plugin_file.hpp>
#include <atoll/device/device.hpp>
#include <atoll/runtime/world.hpp>
#include <span>

/// Messages between the devices of several ranks, enqueued on their streams: NCCL's, by the plug-in cpp/cuda/nccl. No
/// byte of them passes through the host.
///
///     const auto row = device_communicator(world, device, ranks_of_my_row);      // collective over the World
///     row->broadcast(panel, bytes, root, stream);                                 // by every member, in the same order
namespace atl {

class DeviceCommunicator {
 public:
  virtual ~DeviceCommunicator();
  /// Memory of the root'th member to all others. Enqueues.
  virtual void broadcast(void* memory, std::size_t bytes, int root, StreamHandle stream) = 0;
  /// Throws DeviceError if messages under way have failed. While they are waited for, to be asked from time to time.
  virtual void check() = 0;
};

/// Members: ranks of the World, in the same order on each of them; this rank is one. Every rank calls it, with its own
/// group. Throws DeviceError on all ranks if there is no plug-in or two members share a device, which NCCL refuses.
std::unique_ptr<DeviceCommunicator> device_communicator(World& world, Device& device, std::span<const Rank> members);

/// The exports of a plug-in; `abi` is checked before anything else is used.
struct CommunicatorPlugin {
  using Id = std::array<char, 128>;
  std::uint32_t abi;
  const char* library;  ///< "NCCL 2.32.3"
  Id (*make_id)();
  std::unique_ptr<DeviceCommunicator> (*open)(const Id& id, int member, int members, int device);
};
inline constexpr const char* kCommunicatorPluginEntry = "atoll_communicator_plugin";

PluginStatus communicator_plugin_status();

}  // namespace atl
