// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/transport/fabric.hpp>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

/// A ring for small messages from one rank to another, in memory that both see.
///
///     RingSender out(memory, bytes);                       // at the sender
///     if (out.push({.tag = 7}, data, n) == Busy::no) ...
///     RingReceiver in(memory, bytes);                      // at the receiver, under its lock
///     RingMessage m;
///     if (in.next(m)) { read(m.data, m.bytes); in.release(m.ticket); }
///
/// A message occupies whole lines of 64 bytes. Its first word is the header. The sender stores it last (release); until
/// then the receiver finds a zero there. So a short message moves one line between the cores, and no shared tail is
/// read or written. The receiver returns lines an eighth of the ring at a time: it zeroes the first word of each line
/// it is done with and stores a count of bytes, which the sender reads only when the ring looks full. In between the
/// receiver writes nothing to lines that its peer has just written. If instead the sender wrote a zero behind each
/// message, the polling receiver would keep taking that line away: 4 M messages a second in place of 45.
namespace atl {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kPage = 4096;  // the system allocates memory by pages when they are first written

/// The memory that both ends share: counters, then the lines. All zero is an empty ring.
struct RingMemory {
  alignas(128) std::atomic<std::uint64_t> taken{0};  // bytes that the receiver has ever returned
  std::atomic<std::uint64_t> touched{0};             // bytes from the front that have been written, by the sender
  alignas(128) std::byte lines[];                    // NOLINT: size is the geometry's

  /// Rounded up to the alignment, so that another ring may follow.
  static std::size_t bytes_for(std::size_t ring_bytes) {
    return sizeof(RingMemory) + (ring_bytes + alignof(RingMemory) - 1) / alignof(RingMemory) * alignof(RingMemory);
  }
  std::atomic<std::uint64_t>& word(std::uint64_t offset) {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(lines + offset);
  }
};

namespace ring {
// Header word: valid, pad (skip to the end of the ring), then 21 bits of length, 40 bits of note.
inline constexpr std::uint64_t kValid = 1, kPad = 2;
inline constexpr int kBytesShift = 3, kTypeShift = 24, kTagShift = 32;
inline constexpr std::uint64_t kMaxBytes = (std::uint64_t{1} << (kTypeShift - kBytesShift)) - 1;
inline std::uint64_t header(Note note, std::size_t bytes) {
  return kValid | bytes << kBytesShift | std::uint64_t{note.type} << kTypeShift | std::uint64_t{note.tag} << kTagShift;
}
inline std::size_t bytes_of(std::uint64_t header) { return header >> kBytesShift & kMaxBytes; }
inline Note note_of(std::uint64_t header) {
  return {static_cast<std::uint32_t>(header >> kTagShift), static_cast<std::uint8_t>(header >> kTypeShift)};
}
inline std::uint64_t lines_for(std::size_t bytes) { return (bytes + 8 + kCacheLine - 1) & ~(kCacheLine - 1); }
/// The longest message: a quarter of the ring. Together with a pad of the same length and what the receiver has not
/// returned yet, it always fits once all messages before it were read.
inline std::size_t message_bytes(std::size_t ring_bytes) {
  return std::min<std::size_t>(std::max(ring_bytes / 4, kCacheLine) - 8, kMaxBytes);
}
/// memcpy for messages of mostly a few words, where the call alone would cost as much as these copies.
inline void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  struct Block {
    std::uint64_t words[2];
  };
  if (bytes > 256) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= sizeof(Block)) {
    Block block;
    for (std::size_t at = 0; at + sizeof block < bytes; at += sizeof block) {
      std::memcpy(&block, from + at, sizeof block);
      std::memcpy(to + at, &block, sizeof block);
    }
    std::memcpy(&block, from + bytes - sizeof block, sizeof block);
    std::memcpy(to + bytes - sizeof block, &block, sizeof block);
  } else if (bytes >= 8) {
    std::uint64_t first, last;
    std::memcpy(&first, from, 8);
    std::memcpy(&last, from + bytes - 8, 8);
    std::memcpy(to, &first, 8);
    std::memcpy(to + bytes - 8, &last, 8);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}
}  // namespace ring

/// One message of a batch.
struct Outgoing {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::uint32_t tag = 0;
};

class alignas(128) RingSender {
 public:
  RingSender() = default;
  /// `ring_bytes`: a power of two from 64 on.
  RingSender(RingMemory* memory, std::size_t ring_bytes)
      : memory_(memory), size_(ring_bytes), front_(std::min(kFrontAtFirst, size_)) {}

  /// Copies the message (at most ring::message_bytes()) into the ring. Any thread.
  Busy push(Note note, const std::byte* data, std::size_t bytes) {
    if (!lock_.try_lock()) return Busy::lock;
    const std::uint64_t need = ring::lines_for(bytes);
    std::uint64_t at = 0, first = 0;
    const bool fits = reserve(need, at, first);
    if (fits) {
      ring::copy(memory_->lines + at + 8, data, bytes);
      const std::uint64_t header = ring::header(note, bytes);
      if (first != at) [[unlikely]]
        memory_->word(at).store(header, std::memory_order_relaxed);
      memory_->word(first).store(first != at ? ring::kValid | ring::kPad : header, std::memory_order_release);
    }
    lock_.unlock();
    return fits ? Busy::no : Busy::no_slot;
  }

  /// Copies as many of the messages as there is capacity for, from the front. They become visible together, which saves
  /// the two sides most of their contention for lines. Returns how many.
  std::size_t push_many(std::span<const Outgoing> messages, std::uint8_t type) {
    if (!lock_.try_lock()) return 0;
    std::uint64_t published = 0, its_header = 0;
    std::size_t n = 0;
    for (; n < messages.size(); ++n) {
      const Outgoing& m = messages[n];
      std::uint64_t at = 0, first = 0;
      if (!reserve(ring::lines_for(m.bytes), at, first)) break;
      ring::copy(memory_->lines + at + 8, m.data, m.bytes);
      const std::uint64_t header = ring::header({m.tag, type}, m.bytes),
                          there = first != at ? ring::kValid | ring::kPad : header;
      if (first != at) memory_->word(at).store(header, std::memory_order_relaxed);
      if (n == 0) {
        published = first;
        its_header = there;
      } else {
        memory_->word(first).store(there, std::memory_order_relaxed);
      }
    }
    if (n > 0) memory_->word(published).store(its_header, std::memory_order_release);
    lock_.unlock();
    return n;
  }

  explicit operator bool() const { return memory_ != nullptr; }

 private:
  // The system allocates a ring only as far as it has been written, so the sender uses only its front part. At the end
  // of that part it wraps round (a pad tells the receiver) if the receiver has returned most of it; otherwise it
  // doubles the part. The receiver returns an eighth of the ring at a time, so a front of less than two eighths would
  // grow at any rate. One line is left for the pad.
  static constexpr std::uint64_t kFrontAtFirst = (32 << 10) - kCacheLine;

  void look_behind_front(std::uint64_t at, std::uint64_t need) {
    taken_ = memory_->taken.load(std::memory_order_acquire);
    const std::uint64_t out = tail_ - taken_;
    while (at + need > front_ && front_ < size_ && (out > front_ / 2 || out + need > at))
      front_ = std::min(size_, 2 * front_ + kCacheLine);
  }

  // Reserves `need` contiguous bytes. Sets their offset and that of the word that the receiver reads first (a pad's, or
  // the message's own). False if there is no capacity. Under the lock.
  bool reserve(std::uint64_t need, std::uint64_t& at, std::uint64_t& first) {
    at = first = tail_ & (size_ - 1);
    if (at + need > front_ && front_ < size_) [[unlikely]]
      look_behind_front(at, need);
    const std::uint64_t skip = at + need > front_ ? size_ - at : 0;
    const std::uint64_t end = tail_ + skip + need;
    if (end - taken_ > size_) [[unlikely]] {
      taken_ = memory_->taken.load(std::memory_order_acquire);
      if (end - taken_ > size_) return false;
    }
    if (skip > 0) at = 0;
    tail_ = end;
    if (at + need >= touched_) [[unlikely]] {  // the receiver also reads the word behind
      touched_ = std::min(size_, (at + need) / kPage * kPage + kPage);
      memory_->touched.store(touched_, std::memory_order_relaxed);
    }
    return true;
  }

  RingMemory* memory_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t front_ = 0;  // bytes of the ring in use, from its start
  std::uint64_t tail_ = 0, taken_ = 0;
  std::uint64_t touched_ = 0;  // whole pages
  SpinLock lock_;
};

struct RingMessage {
  const std::byte* data;
  std::size_t bytes;
  Note note;
  std::uint32_t ticket;
};

/// next(), put_back(), empty() and reclaim() under one lock of the caller; release() from any thread.
class RingReceiver {
 public:
  RingReceiver() = default;
  RingReceiver(RingMemory* memory, std::size_t ring_bytes)
      : memory_(memory),
        size_(ring_bytes),
        report_(std::max<std::uint64_t>(kCacheLine, ring_bytes / 8)),
        released_(new std::atomic<bool>[ring_bytes / kCacheLine] {}) {}

  bool next(RingMessage& m) {
    while (true) {
      if (read_ - freed_ == size_) return false;  // the ring is full of messages already read
      const std::uint64_t at = read_ & (size_ - 1);
      const std::uint64_t h = memory_->word(at).load(std::memory_order_acquire);
      if (h == 0) return false;
      if (h & ring::kPad) [[unlikely]] {
        release(static_cast<std::uint32_t>(at / kCacheLine));
        read_ += size_ - at;
        continue;
      }
      m = {memory_->lines + at + 8, ring::bytes_of(h), ring::note_of(h), static_cast<std::uint32_t>(at / kCacheLine)};
      read_ += ring::lines_for(m.bytes);
      return true;
    }
  }
  /// Bytes that were read and not yet returned to the sender.
  std::uint64_t held() const { return read_ - freed_; }

  /// Undoes the next() that gave `m`, right after it.
  void put_back(const RingMessage& m) { read_ -= ring::lines_for(m.bytes); }
  bool empty() const {
    return read_ - freed_ == size_ || memory_->word(read_ & (size_ - 1)).load(std::memory_order_acquire) == 0;
  }

  void release(std::uint32_t ticket) { released_[ticket].store(true, std::memory_order_release); }

  /// Returns released lines to the sender, in ring order, once there are enough; true if the sender can see more
  /// capacity.
  bool reclaim() {
    if (read_ - freed_ < report_) [[likely]]
      return false;
    const std::uint64_t before = freed_;
    while (freed_ != read_) {
      const std::uint64_t at = freed_ & (size_ - 1);
      if (!released_[at / kCacheLine].load(std::memory_order_acquire)) break;
      released_[at / kCacheLine].store(false, std::memory_order_relaxed);
      const std::uint64_t h = memory_->word(at).load(std::memory_order_relaxed);
      const std::uint64_t bytes = h & ring::kPad ? size_ - at : ring::lines_for(ring::bytes_of(h));
      // Only the first word of a pad was written since these lines were last zeroed.
      const std::uint64_t written = h & ring::kPad ? kCacheLine : bytes;
      for (std::uint64_t line = 0; line < written; line += kCacheLine)
        memory_->word(at + line).store(0, std::memory_order_relaxed);
      freed_ += bytes;
    }
    if (freed_ == before) return false;
    memory_->taken.store(freed_, std::memory_order_release);
    return true;
  }

 private:
  RingMemory* memory_ = nullptr;
  std::uint64_t size_ = 0, report_ = 0;
  std::uint64_t read_ = 0, freed_ = 0;
  std::unique_ptr<std::atomic<bool>[]> released_;  // [line] private to the receiver
};

}  // namespace atl
