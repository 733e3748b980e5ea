// SPDX-License-Identifier: Apache-2.0
#include <rdma/fi_tagged.h>

#include <atoll/transport/ofi/sends.hpp>
#include <cstring>

namespace atl::ofi {
namespace {

constexpr std::size_t kBounces = 64;  // messages too long to inject, copied and not yet sent

}  // namespace

Busy Sends::copy(Rank to, std::uint64_t h, std::span<const std::byte> bytes, Memory memory) {
  if (bounces_.free.empty()) {
    if (memory == Memory::as_is || bounces_.operations.size() >= kBounces) return Busy::no_memory;
    port_.grow(bounces_);
  }
  const std::uint32_t k = bounces_.take();
  std::memcpy(bounces_.buffers[k], bytes.data(), bytes.size());
  Operation& operation = bounces_.operations[k];
  operation.peer = to;
  const ssize_t code = fi_senddata(port_.get(), bounces_.buffers[k], bytes.size(), bounces_.buffers.descriptor(k), h,
                                   port_[to], &operation.context);
  if (code != 0) {
    bounces_.free.push_back(k);
    if (code == -FI_EAGAIN) return Busy::no_slot;
    port_.lose(to, code, "fi_senddata");
  }
  ++unfinished_;
  return Busy::no;
}

Busy Sends::take(Rank to, Slot& slot) {
  std::int32_t& taken = slots_to_[to];
  if (taken >= slots_per_peer_) return Busy::no_slot;
  if (slots_.free.empty()) {
    // Two slots per peer are outside the budget, so that one half-filled slot blocks no peer.
    if (taken >= 2 && port_.memory_bytes() + slots_.buffers.growth_bytes() > budget_bytes_) return Busy::no_memory;
    port_.grow(slots_);
  }
  const std::uint32_t k = slots_.take();
  ++taken;
  slot = {slots_.buffers[k], slot_bytes_, to, k};
  return Busy::no;
}

void Sends::send(const Slot& slot, std::size_t bytes) {
  ++unfinished_;
  const Filled filled{slot.ticket, slot.to, bytes};
  if (!unsent_.empty() || !send_now(filled)) unsent_.push_back(filled);
}

bool Sends::send_now(const Filled& f) {
  Operation& operation = slots_.operations[f.ticket];
  operation.peer = f.to;
  return port_.took(fi_tsenddata(port_.get(), slots_.buffers[f.ticket], f.bytes, slots_.buffers.descriptor(f.ticket),
                                 static_cast<std::uint64_t>(port_.rank()), port_[f.to], kBulkTag, &operation.context),
                    f.to, "fi_tsenddata");
}

void Sends::flush_deferred() {
  while (!unsent_.empty() && send_now(unsent_.front())) unsent_.pop_front();
  if (!unsent_.empty()) port_.note_deferred();
}

}  // namespace atl::ofi
