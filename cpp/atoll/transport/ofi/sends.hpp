// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/ofi/port.hpp>
#include <atoll/transport/ofi/wire.hpp>

/// The memory of outgoing packets: the caller's own, copies of it, and slots.
namespace atl::ofi {

/// Callers manage the credits. At most slots_per_peer slots are held or being sent towards one peer; beyond
/// budget_bytes for all memory of the port a peer gets only two.
class Sends {
 public:
  Sends(Port& port, Rank ranks, std::size_t message_bytes, std::size_t slot_bytes, std::int32_t slots_per_peer,
        std::size_t budget_bytes)
      : port_(port),
        inject_bytes_(port.domain().info->tx_attr->inject_size),
        slot_bytes_(slot_bytes),
        slots_per_peer_(slots_per_peer),
        budget_bytes_(budget_bytes),
        bounces_(port.new_pool(message_bytes, Operation::What::bounce)),
        slots_(port.new_pool(slot_bytes, Operation::What::slot)),
        slots_to_(static_cast<std::size_t>(ranks)) {}

  /// as_is may fail; then poll completions and try again with may_grow, which may allocate.
  enum class Memory { as_is, may_grow };
  Busy send(Rank to, std::uint64_t h, std::span<const std::byte> bytes, Memory memory) {
    return bytes.size() <= inject_bytes_ ? inject(to, h, bytes) : copy(to, h, bytes, memory);
  }

  Busy take(Rank to, Slot& slot);
  void abandon(const Slot& slot) {
    --slots_to_[slot.to];
    slots_.free.push_back(slot.ticket);
  }
  /// Queues the slot, in order, if the provider accepts none now.
  void send(const Slot& slot, std::size_t bytes);

  void completed_copy(std::uint32_t k) {
    --unfinished_;
    bounces_.free.push_back(k);
  }
  void completed_slot(std::uint32_t k, Rank to) {
    --unfinished_;
    --slots_to_[to];
    slots_.free.push_back(k);
  }
  /// Retries what the provider has refused.
  void flush_deferred();
  /// Whether the provider has completed all sends and uses none of their memory.
  bool all_completed() const { return unfinished_ == 0; }

 private:
  struct Filled {
    std::uint32_t ticket;
    Rank to;
    std::size_t bytes;
  };

  // Sends directly from the caller's bytes; there is no completion.
  Busy inject(Rank to, std::uint64_t h, std::span<const std::byte> bytes) {
    const ssize_t code = fi_injectdata(port_.get(), bytes.data(), bytes.size(), h, port_[to]);
    if (code == -FI_EAGAIN) return Busy::no_slot;
    if (code != 0) [[unlikely]]
      port_.lose(to, code, "fi_injectdata");
    return Busy::no;
  }
  Busy copy(Rank to, std::uint64_t h, std::span<const std::byte> bytes, Memory memory);
  bool send_now(const Filled& f);

  Port& port_;
  const std::size_t inject_bytes_, slot_bytes_;
  const std::int32_t slots_per_peer_;
  const std::size_t budget_bytes_;
  Pool &bounces_, &slots_;
  std::vector<std::int32_t> slots_to_;  // [rank] taken and not yet sent
  std::int64_t unfinished_ = 0;         // sends whose memory the provider still has
  std::deque<Filled> unsent_;
};

}  // namespace atl::ofi
