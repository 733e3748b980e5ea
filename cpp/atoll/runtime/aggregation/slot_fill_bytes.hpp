// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/runtime/world.hpp>

namespace atl {

/// How much of each slot a message of so many bytes fills, World's header not counted:
///
///     std::memcpy(slot.data, data, std::min(bytes, slot_fill_bytes(world, bytes)));
///
/// In memory that ranks share a slot exists as far as it has been filled: of a message all slots towards a peer then take a
/// seventh, or 16 KiB each. Shorter ones cost time: PageRank on 4 ranks that have 2 cores reads and writes in turns as long
/// as what the slots hold. Elsewhere slots exist as they are, and whole ones hide a way's latency best.
inline std::size_t slot_fill_bytes(const World& world, std::size_t bytes) {
  constexpr std::size_t kLeast = 16 << 10, kOfMessage = 7, kPage = 4096;
  if (!world.all_near()) return world.payload_bytes();
  const std::size_t part = bytes / (kOfMessage * static_cast<std::size_t>(world.plan().slots_per_peer));
  return std::min(world.payload_bytes(), std::max(kLeast, part / kPage * kPage) - World::kHeaderBytes);
}

}  // namespace atl
