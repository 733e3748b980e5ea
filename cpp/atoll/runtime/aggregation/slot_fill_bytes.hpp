// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/runtime/aggregation/long_messages.hpp>

namespace atl {

/// How many bytes of each slot a message of `bytes` bytes should fill, without World's header:
///
///     std::memcpy(slot.data, data, std::min(bytes, slot_fill_bytes(world, bytes)));
///
/// In shared memory the system allocates a slot only as far as it has been written. There a message uses a seventh of
/// the slots towards a peer, at least 16 KiB of each. Filling less would cost time: PageRank on 4 ranks with 2 cores
/// alternates between reading and writing each time the slots are full. On other fabrics slots are allocated whole, and
/// whole slots hide the latency of a link best; a long message takes longer ones (long_messages.hpp).
inline std::size_t slot_fill_bytes(const World& world, std::size_t bytes) {
  constexpr std::size_t kLeast = 16 << 10, kOfMessage = 7, kPage = 4096;
  if (!world.all_near()) return message_slot_payload(world, bytes);
  const std::size_t part = bytes / (kOfMessage * static_cast<std::size_t>(world.plan().slots_per_peer));
  return std::min(world.payload_bytes(), std::max(kLeast, part / kPage * kPage) - World::kHeaderBytes);
}

}  // namespace atl
