// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/shared_memory/ring.hpp>
#include <span>

/// The memory in which one rank of a node receives, as the ranks that share it see it: a private mapping if ranks are
/// threads, a shared segment if they are processes. For each source it has a ring of messages, a small ring of control,
/// and slots for bulk. The system allocates its pages when a source first uses them.
///
///     Inbox inbox(address);                        // the head says how the memory is laid out
///     inbox.area(source).slot(k);
namespace atl {

/// The layout of an inbox. Each rank may choose its own; senders read it from the head of the inbox they write to.
struct InboxGeometry {
  std::uint32_t sources = 0;            ///< ranks of the node
  std::uint32_t slots = 4;              ///< per source; 1 .. 64
  std::uint64_t slot_bytes = 65536;     ///< a multiple of 64 from 128 on
  std::uint64_t message_ring = 131072;  ///< bytes; a power of two from 64 on
  std::uint64_t control_ring = 4096;    ///< bytes; a power of two from 64 on

  /// Throws InputError for a value out of its range.
  void validate() const;
  std::size_t area_bytes() const;
  std::size_t bytes() const;  ///< of the whole inbox
  bool operator==(const InboxGeometry&) const = default;
};

/// The word that a rank sleeps on. A sender that has put something into the inbox rings, which costs a load of
/// `sleepers` unless the rank sleeps. A ring may be missed if both act at the same instant, so no sleep is longer than
/// the delay that this may cause.
struct alignas(128) Wakeup {
  std::atomic<std::uint32_t> rings{0};
  std::atomic<std::uint32_t> sleepers{0};

  void ring() {
    if (sleepers.load(std::memory_order_relaxed) > 0) [[unlikely]]
      wake();
  }
  void wake();
  /// Sleeps until the next ring after `seen`, or for `timeout_s`.
  void sleep(std::uint32_t seen, double timeout_s);
};

class Inbox {
 public:
  /// Lays out fresh memory (all zero) of geometry.bytes().
  static void format(std::byte* address, const InboxGeometry& geometry);
  /// Throws TransportError if the memory is not an inbox of this version.
  explicit Inbox(std::byte* address);
  Inbox() = default;

  const InboxGeometry& geometry() const { return head_->geometry; }
  Wakeup& wakeup() { return head_->wakeup; }
  /// The number of bulk packets ever published here. A receiver that has seen this count need not look at slots.
  std::atomic<std::uint32_t>& published() { return head_->published; }
  /// Each source sets its mark at its first use and then increments sources_used().
  std::atomic<std::uint8_t>& used(std::uint32_t source) { return head_->used[source]; }
  std::atomic<std::uint32_t>& sources_used() { return head_->sources_used; }

  /// One source's part. A slot's control word says its state, in any order of slots: kFree, kHeld while the sender
  /// fills it, kFull + bytes when published, kTaken while a handler reads.
  static constexpr std::uint32_t kFree = 0, kHeld = 1, kTaken = 2, kFull = 3;
  struct Area {
    RingMemory* control = nullptr;
    RingMemory* messages = nullptr;
    std::atomic<std::uint32_t>* words = nullptr;    // [slot]
    std::atomic<std::uint64_t>* touched = nullptr;  // bytes of slots that have been written, in whole pages
    std::byte* first_slot = nullptr;
    std::size_t stride = 0;
    std::byte* slot(std::uint32_t k) const { return first_slot + k * stride; }
  };
  Area area(std::uint32_t source) const;

 private:
  struct Head {
    std::uint64_t magic;
    InboxGeometry geometry;
    Wakeup wakeup;
    alignas(128) std::atomic<std::uint32_t> published;
    alignas(128) std::atomic<std::uint32_t> sources_used;
    std::atomic<std::uint8_t> used[];  // NOLINT: size is the geometry's
  };
  static std::size_t head_bytes(std::uint32_t sources);
  friend struct InboxGeometry;

  std::byte* address_ = nullptr;
  Head* head_ = nullptr;
};

}  // namespace atl
