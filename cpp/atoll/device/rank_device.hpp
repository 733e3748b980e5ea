// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <atoll/runtime/world.hpp>

namespace atl {

/// What `--device` names, for this rank: null for "cpu"; of "cuda" the ranks of a machine share the devices evenly, in
/// their order (several may have one). Collective; throws on all ranks alike.
std::shared_ptr<Device> device_of_rank(World& world, const std::string& kind);

}  // namespace atl
