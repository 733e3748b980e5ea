// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/runtime/record_charges.hpp>
#include <atoll/runtime/world.hpp>
#include <concepts>
#include <mutex>
#include <vector>

namespace atl {

enum class Handling { parallel, serial };

/// The receiving half of a mailbox. It runs the handler on records of the epoch that this rank has begun and defers
/// records of the next one, so a handler never sees a record of an epoch that its own rank has not begun.
template <class R, class H>
class EpochReceiver {
 public:
  /// Called with the change in deferred bytes, which may be negative.
  using NoteDeferred = void (*)(void* box, std::ptrdiff_t bytes);

  EpochReceiver(World& world, H handler, Handling handling, NoteDeferred note_deferred, void* box)
      : world_(world),
        handler_(std::move(handler)),
        handling_(handling),
        note_deferred_(note_deferred),
        box_(box),
        charges_(world),
        handled_(static_cast<std::size_t>(world.thread_slots())) {}

  std::uint32_t epoch() const { return epoch_; }
  bool has_begun() const { return begun_.load(std::memory_order_relaxed); }
  /// Whether a sender has nothing to do but to append: the epoch has begun, and nobody keeps what is sent.
  bool is_plain() const { return plain_.load(std::memory_order_relaxed); }
  /// From here on is_plain() is false, so that senders keep what they send. Before the first epoch.
  void keep() { kept_ = true; }
  /// Whether the calling thread runs a handler of any mailbox; then it must not wait for anything.
  bool in_handler() const { return world_.thread_state().handlers > 0; }

  /// Records that have arrived from a rank: handles or defers them.
  void receive(Rank from, std::uint32_t epoch, std::span<const R> records) {
    if (!begun_.load(std::memory_order_acquire) || epoch != epoch_) [[unlikely]] {
      if (defer(from, epoch, records)) return;
    }
    handle(from, records);
  }
  void handle(Rank from, std::span<const R> records);

  /// This rank enters the epoch and handles the records it has deferred to it. Not inside handlers.
  void begin();
  void end() {
    ++epoch_;
    plain_.store(false, std::memory_order_relaxed);
    begun_.store(false, std::memory_order_release);
  }

  /// The number of records handled, over all epochs.
  std::uint64_t handled() const {
    std::uint64_t sum = 0;
    for (const Count& c : handled_) sum += c.records.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  struct alignas(128) Count {
    std::atomic<std::uint64_t> records{0};
  };
  struct Deferred {
    Rank from;
    std::uint32_t epoch;
    std::vector<R> records;
  };

  bool defer(Rank from, std::uint32_t epoch, std::span<const R> records);

  World& world_;
  H handler_;
  const Handling handling_;
  const NoteDeferred note_deferred_;
  void* const box_;
  const RecordCharges charges_;
  std::vector<Count> handled_;  // [thread]
  SpinLock serial_;
  std::uint32_t epoch_ = 0;
  std::atomic<bool> begun_{false};  // this rank has sent or drained in the current epoch
  std::atomic<bool> plain_{false};  // the same unless kept_: one flag for senders, who look at it for each record
  bool kept_ = false;
  SpinLock deferred_lock_;
  std::vector<Deferred> deferred_;
};

template <class R, class H>
void EpochReceiver<R, H>::handle(Rank from, std::span<const R> records) {
  // A guard, because the handler may throw: a lock left held would block this rank's other threads for ever.
  struct Inside {
    Inside(int& handlers, SpinLock* lock) : handlers(handlers), lock(lock) {
      if (lock) lock->lock();
      ++handlers;
    }
    ~Inside() {
      --handlers;
      if (lock) lock->unlock();
    }
    int& handlers;
    SpinLock* lock;
  };
  charges_.handle(records.size());
  {
    const Inside inside(world_.thread_state().handlers, handling_ == Handling::serial ? &serial_ : nullptr);
    if constexpr (std::invocable<H&, Rank, std::span<const R>>) {
      handler_(from, records);
    } else if constexpr (std::invocable<H&, std::span<const R>>) {
      handler_(records);
    } else {
      for (const R& r : records) handler_(r);
    }
  }
  handled_[Team::this_thread()].records.fetch_add(records.size(), std::memory_order_relaxed);
}

// Copies a packet of an epoch that this rank has not begun, so that its slot is free again. Otherwise a fast peer could
// use up the slots that a slow one needs. False if the epoch has begun just now.
template <class R, class H>
bool EpochReceiver<R, H>::defer(Rank from, std::uint32_t epoch, std::span<const R> records) {
  std::lock_guard hold(deferred_lock_);
  if (begun_.load(std::memory_order_relaxed) && epoch == epoch_) return false;
  charges_.copy(records.size_bytes());
  deferred_.push_back({from, epoch, std::vector<R>(records.begin(), records.end())});
  note_deferred_(box_, static_cast<std::ptrdiff_t>(records.size_bytes()));
  return true;
}

template <class R, class H>
void EpochReceiver<R, H>::begin() {
  if (begun_.load(std::memory_order_acquire)) return;
  std::vector<Deferred> due;
  {
    std::lock_guard hold(deferred_lock_);
    begun_.store(true, std::memory_order_release);
    plain_.store(!kept_, std::memory_order_relaxed);
    std::erase_if(deferred_, [&](Deferred& h) {
      if (h.epoch != epoch_) return false;
      due.push_back(std::move(h));
      return true;
    });
  }
  for (const Deferred& h : due) {
    note_deferred_(box_, -static_cast<std::ptrdiff_t>(h.records.size() * sizeof(R)));
    handle(h.from, h.records);
  }
}

}  // namespace atl
