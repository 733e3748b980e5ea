// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

/// The one interface that moves BYTES between ranks. It knows no records and no vertices.
///
///     Slot slot;
///     if (fabric.acquire(to, slot) == Busy::no) {          // memory of the fabric, to be filled in place
///       std::memcpy(slot.data, text.data(), text.size());
///       fabric.publish(slot, text.size());                 // now it travels
///     }
///     Packet packets[16];
///     for (Packet& p : std::span(packets, fabric.poll(packets))) { read(p.data, p.bytes); fabric.release(p); }
///
/// A fabric owns its memory: the sender fills a slot and the receiver reads it in place. Posting never blocks:
/// acquire() answers at once, and says why when it has no slot. No order is kept between packets. Every published
/// packet arrives exactly once. Virtual calls are per slot or per batch of packets, never per record.
///
/// Threads: every call may come from any thread of the rank, except close().
namespace atl {

/// Why acquire() gave nothing. Each is counted where it is met.
enum class Busy : std::uint8_t {
  no,         ///< not busy: here is a slot
  no_slot,    ///< all slots towards this peer are in flight; poll, then ask again
  no_memory,  ///< the fabric's budget is used up
  lock,       ///< another thread is in the way; ask again
  reserved,   ///< the last slot towards a peer is kept for what is sent at once (the runtime's rule)
};
inline constexpr int kBusyReasons = 5;
std::string_view name_of(Busy reason);

/// Memory to be filled and published once (or handed back unused by abandon()).
struct Slot {
  std::byte* data = nullptr;
  std::size_t capacity = 0;  ///< bytes; the same for every slot of a fabric
  Rank to = -1;
  std::uint32_t ticket = 0;  ///< the fabric's own
};

/// Bytes that have arrived; valid until release().
struct Packet {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  Rank from = -1;
  std::uint32_t ticket = 0;  ///< the fabric's own
};

class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual std::string_view name() const = 0;  ///< as in --transport
  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;
  /// Number of the node (host) that `rank` runs on; equal numbers share memory. Dense from 0.
  virtual int node_of(Rank rank) const = 0;
  virtual std::size_t slot_bytes() const = 0;
  /// Communication memory that this rank holds now, in bytes.
  virtual std::size_t memory_bytes() const = 0;

  /// A slot towards `to` (never this rank itself), or the reason why there is none now.
  virtual Busy acquire(Rank to, Slot& slot) = 0;
  /// Sends the first `bytes` (1 .. capacity) of the slot.
  virtual void publish(const Slot& slot, std::size_t bytes) = 0;
  virtual void abandon(const Slot& slot) = 0;

  /// Fills `packets` from the front with what has arrived and drives sending on; returns how many.
  virtual int poll(std::span<Packet> packets) = 0;
  virtual void release(const Packet& packet) = 0;

  /// Sleeps until something may have arrived or `timeout_s` has passed; true in the first case.
  virtual bool wait(double timeout_s) = 0;
  /// Wakes this rank's wait() from another of its threads.
  virtual void wake() = 0;

  /// Ends the job at once on all ranks with the exit code; does not return where the fabric has processes.
  virtual void abort(int exit_code) noexcept = 0;
  /// Collective, once, when every rank has received all that was sent to it.
  virtual void close() = 0;
};

}  // namespace atl
