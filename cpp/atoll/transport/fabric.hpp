// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/base/types.hpp>
#include <atoll/transport/time_spent.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The interface that moves bytes between ranks. It knows neither records nor vertices.
///
///     Slot slot;
///     if (fabric.acquire(to, slot) == Busy::no) {          // memory of the fabric, to be filled in place
///       std::memcpy(slot.data, text.data(), text.size());
///       fabric.publish(slot, text.size());                 // now it travels
///     }
///     fabric.send(to, Traffic::message, {.tag = 7}, text); // small: copied, ordered
///     Packet packets[16];
///     const int n = fabric.poll(packets);
///     for (const Packet& p : std::span(packets).first(n)) { read(p.data, p.bytes); fabric.release(p); }
///
/// Three kinds of traffic have separate memory, so that none can starve another:
///   bulk     slots of slot_bytes(), filled in place by their holder, however long that takes;
///   message  copied on send, at most message_bytes();
///   control  copied on send, at most kControlBytes; what the runtime needs to free memory again.
/// A fabric owns its memory: the receiver reads in place, until release(). Posting never blocks: a call returns at
/// once, with a reason if it did nothing. Messages from one rank to another arrive in the order of their sends; there
/// is no other order. Everything published or sent arrives exactly once. Virtual calls are per slot, per message or per
/// batch of packets, never per record.
///
/// Threads: every call may come from any thread of the rank, except close().
namespace atl {

/// Why the fabric did not accept something. The caller counts each reason.
enum class Busy : std::uint8_t {
  no,         ///< not busy: accepted
  no_slot,    ///< all memory towards this peer is in flight; poll, then retry
  no_memory,  ///< the fabric's budget is used up
  lock,       ///< another thread holds the lock; retry
  reserved,   ///< the last slot towards a peer is reserved for packets that are sent at once (a rule of the runtime)
};
inline constexpr int kBusyReasons = 5;
std::string_view name_of(Busy reason);

enum class Traffic : std::uint8_t { bulk = 1, message = 2, control = 4 };
/// A set of Traffic that poll() may receive.
using TrafficSet = std::uint8_t;
inline constexpr TrafficSet kAllTraffic = 7;
inline constexpr TrafficSet operator|(Traffic a, Traffic b) {
  return static_cast<TrafficSet>(static_cast<TrafficSet>(a) | static_cast<TrafficSet>(b));
}
inline constexpr bool contains(TrafficSet set, Traffic t) { return (set & static_cast<TrafficSet>(t)) != 0; }

/// The tag and type that travel beside the bytes of a message or control packet.
struct Note {
  std::uint32_t tag = 0;
  std::uint8_t type = 0;
  bool operator==(const Note&) const = default;
};
inline constexpr std::size_t kControlBytes = 56;

/// Memory to fill and publish once, or to return unused by abandon().
struct Slot {
  std::byte* data = nullptr;
  std::size_t capacity = 0;  ///< bytes; the same for every slot of a fabric that acquire() gives
  Rank to = -1;
  std::uint32_t ticket = 0;  ///< the fabric's own
};

/// The slots that a relay asks for, see Fabric::acquire_long.
struct LongSlots {
  std::size_t bytes = 0;
  int per_peer = 0;
};

/// A packet that poll() found. The bytes are valid until release(). The two ends of a put() are packets without bytes,
/// which need no release: put_sent at the origin, put_arrived at the target, with the token that was given there.
struct Packet {
  enum class What : std::uint8_t { bulk, message, control, put_sent, put_arrived };

  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  Rank from = -1;
  std::uint32_t ticket = 0;  ///< the fabric's own
  What what = What::bulk;
  Note note;                ///< of messages and control
  std::uint64_t token = 0;  ///< of puts
};

/// The target of a put, in terms of the target's fabric. It travels to the origin in a control packet.
struct PutTarget {
  std::array<std::uint64_t, 3> words{};
};

/// How a simulator times a message: over every link that it uses (detailed, the default), or as if no other message
/// used them (coarse).
enum class SimulatedTiming : std::uint8_t { coarse, detailed };

class Rings;

class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual std::string_view name() const = 0;  ///< as in --transport
  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;
  /// Number of the node (host) that `rank` runs on; equal numbers share memory. Dense from 0.
  virtual int node_of(Rank rank) const = 0;
  virtual std::size_t slot_bytes() const = 0;
  /// Whether `rank` is a thread of this process: each can write to the other's memory.
  virtual bool shares_addresses(Rank) const { return false; }
  /// The longest message that send() accepts.
  virtual std::size_t message_bytes() const = 0;
  /// Communication memory that this rank holds now, in bytes.
  virtual std::size_t memory_bytes() const = 0;

  /// Acquires a slot towards `to` (never this rank itself), or returns why there is none now.
  virtual Busy acquire(Rank to, Slot& slot) = 0;
  /// Sends the first `bytes` (1 .. capacity) of the slot.
  virtual void publish(const Slot& slot, std::size_t bytes) = 0;
  /// The longest slot that acquire_long() gives; slot_bytes() where all slots are alike.
  virtual std::size_t longest_slot_bytes() const { return slot_bytes(); }
  /// acquire() for a rank that sends to few peers and therefore in longer slots: of `slots.bytes` bytes, and up to
  /// `slots.per_peer` of them towards a peer at a time. A fabric whose slots are all alike gives one of those.
  virtual Busy acquire_long(Rank to, const LongSlots& /*slots*/, Slot& slot) { return acquire(to, slot); }
  virtual void abandon(const Slot& slot) = 0;

  /// Copies the bytes (0 .. message_bytes(), or kControlBytes) and sends them to `to` (never this rank itself).
  virtual Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) = 0;

  /// Whether the fabric can put() to `to`. If not, the runtime sends pieces in slots.
  virtual bool can_put(Rank to) const = 0;
  /// At the target: lets `from` put into `memory` once. The memory must not move until put_arrived has arrived.
  virtual Busy expose(Rank from, std::span<std::byte> memory, std::uint64_t token, PutTarget& target) = 0;
  /// At the origin: writes `source`, which is as long as the exposed memory. `source` must not change until put_sent
  /// has arrived.
  virtual Busy put(Rank to, const PutTarget& target, std::span<const std::byte> source, std::uint64_t token) = 0;

  /// Fills `packets` with arrived packets and makes progress on sends; returns how many. Receives only the traffic in
  /// `wanted`, and always the ends of puts.
  virtual int poll(std::span<Packet> packets, TrafficSet wanted = kAllTraffic) = 0;
  virtual void release(const Packet& packet) = 0;

  /// Sleeps until something wanted may have arrived (true) or `timeout_s` has passed (false).
  virtual bool wait(double timeout_s, TrafficSet wanted = kAllTraffic) = 0;
  /// Wakes this rank's wait() from another of its threads.
  virtual void wake() = 0;

  /// The rings in shared memory that carry messages to some peers, so that small messages need no virtual call; null if
  /// there are none. On a composed fabric, messages of these peers are taken from the rings, not by poll().
  virtual Rings* rings() { return nullptr; }

  /// The fabric that crosses nodes; this one unless it is composed.
  virtual Fabric& network() { return *this; }

  /// Whether ranks live in simulated time. Then an idle rank must call wait() at once, because spinning and the
  /// machine's clock mean nothing, and wait() itself detects when no rank can go on.
  virtual bool is_virtual() const { return false; }
  /// This rank's clock in seconds, from an arbitrary origin.
  virtual double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  /// Advances simulated time by what this rank's processor does, and counts it as that part of TimeSpent. Real fabrics
  /// ignore it.
  virtual void spend(double /*seconds*/, double TimeSpent::* /*part*/) {}
  /// The same for a computation.
  void compute(double seconds) { spend(seconds, &TimeSpent::compute); }
  /// publish() of a slot that stands for `more` bytes beyond those it holds: simulated time charges for them, but they
  /// are not there.
  virtual void publish_for(const Slot& slot, std::size_t bytes, std::size_t /*more*/) { publish(slot, bytes); }

  /// Sets how the messages that this rank sends from here on are simulated. `coarse` outside timed sections saves most
  /// of the simulation's work. Real fabrics ignore it.
  virtual void set_timing(SimulatedTiming) {}

  /// Where this rank's time went, if the fabric keeps its clock.
  virtual std::optional<TimeSpent> spent() const { return std::nullopt; }

  /// Ends the job at once on all ranks with the exit code; does not return if ranks are processes.
  virtual void abort(int exit_code) noexcept = 0;
  /// Collective. Call it once, when every rank has received all that was sent to it.
  virtual void close() = 0;
};

}  // namespace atl
