// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/routes/slot_rule.hpp>
#include <atoll/runtime/world.hpp>

/// Slots for messages that need more than the standard ones of a pair of ranks, or are sent in shorter parts, as rows one
/// by one: where the fabric has slots of several lengths they have one of their own, and so many may be in flight that the
/// link stays busy (SlotRule). A simulated GPU thus sends as its library does, which has no such window.
///
///     const std::size_t payload = message_slot_payload(world, bytes);
///     if (acquire_for_message(world, to, payload, slot) == Busy::no) ...
namespace atl {

/// Whether the fabric has slots of several lengths, and the plan lets a sender run ahead.
inline bool has_long_slots(const SlotRule& rule) { return rule.expands && rule.longest > rule.bytes; }

/// The payload of the slots that a message of so many bytes to one rank goes in: of the standard ones while those in
/// flight hold two of it, as another may follow at once; then an eighth of the message, so that its first slots arrive
/// while others are filled. The latter are longer than the standard ones by something at least: that tells them apart.
inline std::size_t message_slot_payload(const World& world, std::size_t bytes) {
  const SlotRule& rule = world.slot_rule();
  constexpr std::size_t kHeads = 64;
  if (!has_long_slots(rule) || 2 * bytes <= (rule.bytes - kHeads) * static_cast<std::size_t>(rule.per_peer))
    return world.payload_bytes();
  return std::clamp(bytes / 8 / 64 * 64, std::min(rule.bytes + kHeads, rule.longest), rule.longest) -
         World::kHeaderBytes;
}

/// World::acquire(), of a slot with that payload. One of another length than the standard one has the window of its level.
inline Busy acquire_for_message(World& world, Rank to, std::size_t payload, Slot& slot) {
  const SlotRule& rule = world.slot_rule();
  if (payload == world.payload_bytes() || !has_long_slots(rule)) return world.acquire(to, slot);
  constexpr int kAtEnds = 2;  // one is being filled, one read, while the others are on the link
  const std::size_t bytes = payload + World::kHeaderBytes;
  const int on_link = rule.per_peer_for(bytes, world.machine().cost.levels(), world.level_to(to));
  return world.acquire_long(to, {bytes, on_link + kAtEnds}, slot);
}

}  // namespace atl
