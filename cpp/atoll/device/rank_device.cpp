// SPDX-License-Identifier: Apache-2.0
#include <atoll/device/rank_device.hpp>

namespace atl {

std::shared_ptr<Device> device_of_rank(World& world, const std::string& kind) {
  if (kind == "cpu") return nullptr;
  const Fabric& fabric = world.fabric();
  int before = 0;  // ranks of this machine
  for (Rank r = 0; r < world.rank(); ++r) before += fabric.node_of(r) == fabric.node_of(world.rank());
  std::shared_ptr<Device> device = world.collective_try([&] { return open_device(kind, before); });
  device->log_to(world.log());
  device->share_among(static_cast<int>(ranks_of_device(world, *device).size()));
  world.barrier();  // before any of them allocates
  return device;
}

std::vector<Rank> ranks_of_device(World& world, const Device& device) {
  struct Place {
    int node;
    std::array<unsigned char, 16> uuid;
    bool operator==(const Place&) const = default;
  };
  const Place mine{world.fabric().node_of(world.rank()), device.facts().uuid};
  const auto all = world.all_gather(mine);
  std::vector<Rank> out;
  for (Rank r = 0; r < world.size(); ++r)
    if (all[r] == mine) out.push_back(r);
  return out;
}

void wait_with_peers(World& world, Device& device, EventHandle event, const char* what,
                     const std::function<void()>& poll) {
  try {
    world.wait_until(what, [&] {
      if (poll) poll();
      return device.happened(event);
    });
  } catch (...) {
    device.abandon();
    throw;
  }
}

}  // namespace atl
