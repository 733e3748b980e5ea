// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/transport/fabric.hpp>
#include <atomic>
#include <climits>
#include <deque>
#include <mutex>
#include <vector>

/// The memory of one kind of traffic: equal slots, and how many may be on their way to each peer.
namespace atl::mpi {

/// Equal slots, taken from the kernel as needed and kept until the end. In front of each lie kSlotHead bytes for what a
/// layer keeps or sends with it.
class SlotMemory {
 public:
  static constexpr std::size_t kSlotHead = 64;

  explicit SlotMemory(std::size_t slot_bytes) : stride_((slot_bytes + 63) / 64 * 64 + kSkew) {}
  std::byte* operator[](std::size_t k) { return blocks_[k / kAtOnce].data() + k % kAtOnce * stride_ + kSlotHead; }
  std::size_t size() const { return blocks_.size() * kAtOnce; }
  std::size_t bytes() const { return size() * stride_; }
  std::size_t stride() const { return stride_; }
  /// kAtOnce slots more.
  void grow() { blocks_.emplace_back(kAtOnce * stride_); }
  /// MPI may still write into the slots, so their memory must not be reused.
  void leak() { new std::deque<Array<std::byte>>(std::move(blocks_)); }

  static constexpr std::size_t kAtOnce = 8;  // allocated together

 private:
  static constexpr std::size_t kSkew = 256;  // slots at power-of-two distances would share cache sets

  const std::size_t stride_;
  std::deque<Array<std::byte>> blocks_;
};

/// Slots to send, with the credits towards each peer. MPI accepts any number of sends: they complete before the
/// receiver has seen anything, so a slow rank would be flooded. A rank therefore sends at most `window` packets to a
/// peer beyond those that the peer has reported as released. Any thread.
///
///     if (box.take(to, slot) == Busy::no) ...      // to be filled and sent
///     box.give_back(slot.to, slot.ticket);         // MPI has sent it: the memory is free
///     box.released(slot.to, n);                    // the peer has released n packets
class Outbox {
 public:
  static constexpr std::int32_t kNoWindow = INT32_MAX;

  /// At most slots_per_peer slots are held or being sent per peer. Beyond budget_bytes for all peers together a peer
  /// gets only two, so that one half-filled slot blocks nobody.
  Outbox(Rank ranks, std::size_t slot_bytes, int slots_per_peer, std::int32_t window, std::size_t budget_bytes)
      : slot_bytes_(slot_bytes),
        slots_per_peer_(slots_per_peer),
        window_(window),
        memory_(slot_bytes),
        budget_slots_(budget_bytes / memory_.stride()),
        peers_(static_cast<std::size_t>(ranks)) {}

  Busy take(Rank to, Slot& slot) {
    std::lock_guard hold(lock_);
    Peer& peer = peers_[to];
    if (peer.slots >= slots_per_peer_ || peer.unreleased >= window_) return Busy::no_slot;
    if (free_.empty()) {
      if (memory_.size() >= budget_slots_ && peer.slots >= 2) return Busy::no_memory;
      const auto first = static_cast<std::uint32_t>(memory_.size());
      memory_.grow();
      for (std::uint32_t k = SlotMemory::kAtOnce; k-- > 0;) free_.push_back(first + k);
      bytes_.store(memory_.bytes(), std::memory_order_relaxed);
    }
    const std::uint32_t ticket = free_.back();
    free_.pop_back();
    ++peer.slots;
    if (window_ != kNoWindow) ++peer.unreleased;
    slot = {memory_[ticket], slot_bytes_, to, ticket};
    return Busy::no;
  }
  void give_back(Rank to, std::uint32_t ticket) {
    std::lock_guard hold(lock_);
    --peers_[to].slots;
    free_.push_back(ticket);
  }
  void abandon(const Slot& slot) {
    if (window_ != kNoWindow) released(slot.to, 1);
    give_back(slot.to, slot.ticket);
  }
  void released(Rank by, std::int32_t packets) {
    std::lock_guard hold(lock_);
    peers_[by].unreleased -= packets;
  }

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  void leak() { memory_.leak(); }

 private:
  struct Peer {
    std::int32_t slots = 0;       // taken and not yet given back
    std::int32_t unreleased = 0;  // taken, or sent and not known to be released there
  };

  const std::size_t slot_bytes_;
  const std::int32_t slots_per_peer_, window_;
  std::atomic<std::size_t> bytes_{0};
  SpinLock lock_;
  SlotMemory memory_;
  const std::size_t budget_slots_;
  std::vector<Peer> peers_;
  std::vector<std::uint32_t> free_;  // most recently used last
};

/// The receiving end of the windows: packets released here and not yet reported to their sender. A credit is sent for
/// half a window at a time, so that many packets share its cost and the sender does not run out of credit.
class Releases {
 public:
  Releases(Rank ranks, std::int32_t window) : due_(std::max(1, window / 2)), peers_(static_cast<std::size_t>(ranks)) {}
  /// Notes one; returns the credit that is due to `to` now, or 0.
  std::int32_t note(Rank to) {
    std::int32_t& n = peers_[to];
    return ++n < due_ ? 0 : std::exchange(n, 0);
  }

 private:
  const std::int32_t due_;
  std::vector<std::int32_t> peers_;
};

}  // namespace atl::mpi
