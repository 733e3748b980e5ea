// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <atoll/runtime/world.hpp>
#include <functional>
#include <vector>

namespace atl {

/// Returns the device that `--device` names, for this rank: null for "cpu"; of "cuda" the ranks of a machine share the
/// devices evenly, in their order; several may have one, and each then plans with its part of what is free. Collective;
/// throws on all ranks alike.
std::shared_ptr<Device> device_of_rank(World& world, const std::string& kind);

/// The ranks that have this rank's device, itself among them, ascending. Collective.
std::vector<Rank> ranks_of_device(World& world, const Device& device);

/// Waits for an event of a stream that depends on other ranks' streams, and makes progress meanwhile. `what` names the
/// wait in errors; `poll` is called while waiting, and throws if the communication library reports an error. Throws
/// DeviceError if an earlier operation of the stream failed, and TransportError if a peer is lost or silent
/// (Plan::timeout_seconds). In the latter case, and if `poll` throws, the device is abandoned, since its kernels may wait
/// for that peer for ever.
void wait_with_peers(World& world, Device& device, EventHandle event, const char* what,
                     const std::function<void()>& poll = {});

}  // namespace atl
