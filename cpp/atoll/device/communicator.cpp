// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/device/communicator.hpp>
#include <atoll/device/rank_device.hpp>

namespace atl {
namespace {

PluginName communicator_plugin() {
  return {.name = "nccl",
          .entry = kCommunicatorPluginEntry,
          .library = "NCCL",
          .package = "NVIDIA's libnccl2 (pip: nvidia-nccl-cu13)",
          .build_package = "NVIDIA's libnccl-dev (pip: nvidia-nccl-cu13)"};
}

}  // namespace

DeviceCommunicator::~DeviceCommunicator() = default;

PluginStatus communicator_plugin_status() {
  const PluginFile file = open_plugin_file(communicator_plugin());
  if (!file.plugin) return {.name = "nccl", .path = file.path, .loads = false, .detail = file.why};
  return {.name = "nccl",
          .path = file.path,
          .loads = true,
          .detail = fmt::format("{}: panels and rows of B from device to device",
                                static_cast<const CommunicatorPlugin*>(file.plugin)->library)};
}

std::unique_ptr<DeviceCommunicator> device_communicator(World& world, Device& device, std::span<const Rank> members) {
  const PluginFile file = world.collective_try([&] {
    PluginFile opened = open_plugin_file(communicator_plugin());
    if (!opened.plugin) throw DeviceError(opened.why);
    return opened;
  });
  const auto& plugin = *static_cast<const CommunicatorPlugin*>(file.plugin);
  const std::vector<Rank> sharing = ranks_of_device(world, device);
  const auto shares = [&](Rank r) {
    return r != world.rank() && !device.facts().emulated && std::ranges::find(sharing, r) != sharing.end();
  };
  world.agree(
      std::ranges::none_of(members, shares),
      fmt::format("rank {} shares device {} with another rank (NCCL wants a device for each). Start fewer ranks on "
                  "this machine, or let panels pass through the host.",
                  world.rank(), device.facts().number));
  // A group's first member names it.
  const auto ids = world.all_gather(world.collective_try(
      [&] { return members.front() == world.rank() ? plugin.make_id() : CommunicatorPlugin::Id{}; }));
  const auto at = std::ranges::find(members, world.rank()) - members.begin();
  return world.collective_try([&] {
    return plugin.open(ids[members.front()], static_cast<int>(at), static_cast<int>(members.size()),
                       device.facts().number);
  });
}

}  // namespace atl
