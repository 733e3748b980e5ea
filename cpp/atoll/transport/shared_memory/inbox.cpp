// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/transport/shared_memory/inbox.hpp>
#include <ctime>
#include <new>

namespace atl {

namespace {
constexpr std::uint64_t kMagic = 0x31786f626e697441;  // "Atinbox1"
// Slots a power of two apart fall on the same cache sets; measured 3-5 times slower.
constexpr std::size_t kSlotSkew = 256;
// Rings that all began at the same offset in a page made a receiver with 64 of them 4 times slower.
constexpr std::size_t kAreaSkew = 640;
constexpr std::size_t kWords = 64 * 4 + 64;  // control words of up to 64 slots, and the count of touched bytes

constexpr std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }
constexpr bool power_of_two(std::uint64_t n) { return std::has_single_bit(n); }

}  // namespace

void Wakeup::wake() {
  rings.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &rings, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void Wakeup::sleep(std::uint32_t seen, double timeout_s) {
  const timespec limit{0, static_cast<long>(std::min(timeout_s, 0.999) * 1e9)};
  syscall(SYS_futex, &rings, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

void InboxGeometry::validate() const {
  check(slots >= 1 && slots <= 64, "slots_per_peer is {} (1 to 64 are possible). Change it in the plan.", slots);
  check(slot_bytes >= 128 && slot_bytes % 64 == 0 && slot_bytes < (std::uint64_t{1} << 31),
        "slot_bytes is {} (a multiple of 64 from 128 to 2^31 is needed). Change it in the plan.", slot_bytes);
  for (const std::uint64_t ring : {message_ring, control_ring})
    check(ring >= kCacheLine && power_of_two(ring) && ring < (std::uint64_t{1} << 31),
          "a ring of {} bytes (a power of two from 64 to 2^30 is needed). Change ring_bytes in the plan.", ring);
}

std::size_t InboxGeometry::area_bytes() const {
  const std::size_t rings = RingMemory::bytes_for(message_ring) + RingMemory::bytes_for(control_ring);
  return round_up(rings + kWords + 128 + slots * (slot_bytes + kSlotSkew), kPage) + kAreaSkew;
}

std::size_t InboxGeometry::bytes() const {
  return round_up(Inbox::head_bytes(sources) + sources * area_bytes(), kPage);
}

std::size_t Inbox::head_bytes(std::uint32_t sources) { return round_up(sizeof(Head) + sources, kPage); }

void Inbox::format(std::byte* address, const InboxGeometry& geometry) {
  Head* head = new (address) Head;
  head->geometry = geometry;
  // Stored last: an inbox without it is not ready.
  std::atomic_ref(head->magic).store(kMagic, std::memory_order_release);
}

Inbox::Inbox(std::byte* address) : address_(address), head_(reinterpret_cast<Head*>(address)) {
  if (std::atomic_ref(head_->magic).load(std::memory_order_acquire) != kMagic)
    throw TransportError(
        "transport: a peer's shared memory is not laid out as this version does it (another version of "
        "Atoll on this node?). Run the same Atoll on all ranks.");
}

Inbox::Area Inbox::area(std::uint32_t source) const {
  const InboxGeometry& g = head_->geometry;
  std::byte* at = address_ + head_bytes(g.sources) + source * g.area_bytes();
  Area area;
  at = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uintptr_t>(at), 128));
  area.messages = reinterpret_cast<RingMemory*>(at);
  at += RingMemory::bytes_for(g.message_ring);
  area.control = reinterpret_cast<RingMemory*>(at);
  at += RingMemory::bytes_for(g.control_ring);
  area.words = reinterpret_cast<std::atomic<std::uint32_t>*>(at);
  area.touched = reinterpret_cast<std::atomic<std::uint64_t>*>(at + 64 * 4);
  at += kWords;
  area.first_slot = at;
  area.stride = g.slot_bytes + kSlotSkew;
  return area;
}

}  // namespace atl
