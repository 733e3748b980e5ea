// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/aggregation/bucket.hpp>
#include <atoll/runtime/aggregation/epoch_receiver.hpp>
#include <atoll/runtime/aggregation/pieces.hpp>
#include <bit>
#include <cstring>
#include <optional>

namespace atl {

/// The sending half of a mailbox where records go in one hop: each thread appends to a lane for each rank, a slot of the
/// fabric or a block of our own (to the own rank, and for what handlers send while the fabric is busy). A full lane is
/// published at once. A handler never waits: what it leaves behind in blocks is worked off outside handlers.
template <class R, class H>
class DirectLanes {
 public:
  /// As long as a slot or shorter, or cut into Pieces.
  enum class Records { in_slots, in_pieces };
  /// Of a block: a part of a slot, which becomes a whole one with what is sent, or does not.
  enum class Room { grows, stays_small };

  DirectLanes(World& world, EpochReceiver<R, H>& intake, Records records, Room room)
      : world_(world),
        intake_(intake),
        ranks_(world.size()),
        capacity_(std::max<std::size_t>(1, world.payload_bytes() / sizeof(R))),
        fill_blocks_(world.all_near() || records == Records::in_pieces),
        room_(room),
        threads_(static_cast<std::size_t>(world.thread_slots())) {
    if (records == Records::in_pieces) pieces_.emplace(world, sizeof(R), &DirectLanes::deliver_whole, this);
    channel_ = world.open_channel(&DirectLanes::deliver, this);
  }
  ~DirectLanes() {
    for (auto& t : threads_)
      for (Lane& lane : t.lanes) drop(lane);
    world_.close_channel(channel_);
    world_.note_memory(-static_cast<std::ptrdiff_t>(block_bytes_.load()));
  }
  DirectLanes(const DirectLanes&) = delete;
  DirectLanes& operator=(const DirectLanes&) = delete;

  /// Before anything is sent.
  void open() {
    for (auto& t : threads_) t.lanes.resize(static_cast<std::size_t>(ranks_));
  }
  /// Records that a lane holds.
  std::size_t capacity() const { return capacity_; }
  bool in_pieces() const { return pieces_.has_value(); }

  struct Thread;
  Thread& thread(std::size_t number) { return threads_[number]; }
  void send(Thread& thread, Rank to, const R& record) {
    Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
    if (lane.at == lane.end) [[unlikely]]
      turn(thread, to);
    *lane.at++ = record;
  }
  void send_many(Thread& thread, std::span<const Rank> to, std::span<const R> records);
  void send_run(Thread& thread, Rank to, std::span<const R> records);
  /// To this very rank, not in a handler: handled in place.
  void send_here(Thread& thread, std::span<const R> records) {
    thread.sent += records.size();
    intake_.handle(world_.rank(), records);
  }

  /// Passes on everything that this rank's threads have appended, what handlers append meanwhile included.
  void flush();
  /// Between epochs a mailbox holds no slot: others need them.
  void release_slots() {
    for (Thread& t : threads_)
      for (Lane& lane : t.lanes)
        if (lane.slot.ticket != kBlock) drop(lane);
  }
  /// Records that have been handed over, over all epochs.
  std::uint64_t sent() const {
    std::uint64_t sum = 0;
    for (const Thread& t : threads_) sum += t.sent;
    return sum;
  }

 private:
  static constexpr std::uint32_t kBlock = UINT32_MAX;  // ticket of a lane whose memory is a block
  // Where a thread appends for one rank.
  struct Lane {
    R* at = nullptr;
    R* end = nullptr;
    R* first = nullptr;
    Slot slot;
    std::size_t room = 0;  // of a block: records
  };
  struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t records = 0;  // that it has room for
  };
  struct Block {
    Rank to = -1;
    std::size_t records = 0;
    Memory memory;
  };

 public:
  struct alignas(128) Thread {
    std::vector<Lane> lanes;     // [rank]
    std::vector<Block> waiting;  // full blocks that handlers left behind
    std::vector<Memory> spare;
    std::uint64_t sent = 0;
  };

 private:
  static void deliver(void* self, Rank from, std::uint32_t epoch, const std::byte* data, std::size_t bytes) {
    const std::span records(reinterpret_cast<const R*>(data), bytes / sizeof(R));
    static_cast<DirectLanes*>(self)->intake_.take(from, epoch, records);
  }
  static void deliver_whole(void* self, Rank from, std::uint32_t epoch, const std::byte* record) {
    static_cast<DirectLanes*>(self)->intake_.take(from, epoch, {reinterpret_cast<const R*>(record), 1});
  }
  static std::size_t bytes_for(std::size_t records) { return records * sizeof(R) + kBucketSlack; }
  std::size_t block_records(const Thread& thread) const;
  Memory take_memory(std::size_t records);
  void free_memory(Memory memory);
  void turn(Thread& thread, Rank to);
  void hand_over(Thread& thread, Rank to);
  void fill(Thread& thread, Rank to);
  void give_block(Thread& thread, Rank to);
  void drop(Lane& lane);
  void work_off(Thread& thread);

  World& world_;
  EpochReceiver<R, H>& intake_;
  const Rank ranks_;
  const std::size_t capacity_;
  /// Slots in shared memory are lines that the receiver's core has just read: filling them record by record fetches each
  /// back (225 M records a second where cores are far apart). A block of our own stays in this core's cache and is
  /// copied past it.
  const bool fill_blocks_;
  const Room room_;
  std::optional<Pieces> pieces_;  // where a record is longer than a slot
  std::uint32_t channel_ = 0;
  std::vector<Thread> threads_;
  std::atomic<std::size_t> block_bytes_{0};
};

// ---------------------------------------------------------------------------------------------------------------------

// The lane is full or has no memory yet: pass on what it has and give it fresh memory.
template <class R, class H>
void DirectLanes<R, H>::turn(Thread& thread, Rank to) {
  const bool full = thread.lanes[static_cast<std::size_t>(to)].first != nullptr;
  if (full) hand_over(thread, to);
  if (!intake_.in_handler()) {
    intake_.begin();
    if (full) world_.progress();  // keeps pace with what the peers send here
    if (!thread.waiting.empty()) work_off(thread);
    // A handler that ran just now may have appended to this very lane.
    Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
    if (lane.first && lane.at != lane.end) return;
    if (lane.first) hand_over(thread, to);
  }
  fill(thread, to);
}

template <class R, class H>
void DirectLanes<R, H>::hand_over(Thread& thread, Rank to) {
  Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
  const auto n = static_cast<std::size_t>(lane.at - lane.first);
  thread.sent += n;
  if (lane.slot.ticket == kBlock) {
    Block& block = thread.waiting.emplace_back();  // where there is no memory for one, the block stays the lane's
    block = {to, n, {std::unique_ptr<std::byte[]>(reinterpret_cast<std::byte*>(lane.first)), lane.room}};
  } else {
    world_.publish(channel_, lane.slot, n * sizeof(R), World::Hold::as_lane, intake_.epoch());
  }
  lane = {};
}

template <class R, class H>
void DirectLanes<R, H>::give_block(Thread& thread, Rank to) {
  const std::size_t records = block_records(thread);
  Memory memory;
  if (!thread.spare.empty()) {
    memory = std::move(thread.spare.back());
    thread.spare.pop_back();
  }
  if (memory.records < records) {
    free_memory(std::move(memory));
    memory = take_memory(records);
  }
  Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
  lane.first = lane.at = reinterpret_cast<R*>(memory.bytes.release());
  lane.end = lane.first + records;
  lane.room = memory.records;
  lane.slot = {};
  lane.slot.ticket = kBlock;
}

// A slot costs a microsecond whatever it carries, so full ones are fastest, and touch most memory: little at first, all of
// it once a thread has sent each rank so much that the first cost it nothing.
template <class R, class H>
std::size_t DirectLanes<R, H>::block_records(const Thread& thread) const {
  constexpr std::size_t kAtFirst = 16 << 10, kOfTraffic = 32;
  const std::size_t sent = thread.sent * sizeof(R) / static_cast<std::size_t>(ranks_);
  const std::size_t slot = room_ == Room::grows ? std::max(kAtFirst, std::bit_floor(sent / kOfTraffic)) : kAtFirst;
  return std::clamp<std::size_t>((slot - World::kHeaderBytes) / sizeof(R), 1, capacity_);
}

template <class R, class H>
typename DirectLanes<R, H>::Memory DirectLanes<R, H>::take_memory(std::size_t records) {
  const std::size_t bytes = bytes_for(records);
  Memory memory{std::unique_ptr<std::byte[]>(new std::byte[bytes]), records};
  block_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  world_.note_memory(static_cast<std::ptrdiff_t>(bytes));
  return memory;
}

template <class R, class H>
void DirectLanes<R, H>::free_memory(Memory memory) {
  if (!memory.bytes) return;
  const std::size_t bytes = bytes_for(memory.records);
  block_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  world_.note_memory(-static_cast<std::ptrdiff_t>(bytes));
}

// Gives a lane without memory a slot, or a block where waiting for a slot is not allowed: in handlers, and when all
// slots that lanes may hold are taken.
template <class R, class H>
void DirectLanes<R, H>::fill(Thread& thread, Rank to) {
  if (to == world_.rank() || fill_blocks_) return give_block(thread, to);
  Slot slot;
  Busy busy = world_.acquire(to, slot, World::Hold::as_lane);
  if (busy != Busy::no && busy != Busy::reserved && !intake_.in_handler()) {
    Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
    world_.wait_until("send: a slot to the peer", [&] {
      if (lane.first) return true;  // a handler that ran in this wait has sent to the same rank
      busy = world_.acquire(to, slot, World::Hold::as_lane);
      return busy == Busy::no || busy == Busy::reserved;
    });
    if (lane.first) return lane.at == lane.end ? turn(thread, to) : void();
  }
  if (busy != Busy::no) return give_block(thread, to);
  Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
  lane.first = lane.at = reinterpret_cast<R*>(slot.data);
  lane.end = lane.first + capacity_;
  lane.slot = slot;
}

// Takes the memory of a lane that is not needed now.
template <class R, class H>
void DirectLanes<R, H>::drop(Lane& lane) {
  if (!lane.first) return;
  if (lane.slot.ticket == kBlock) {
    free_memory({std::unique_ptr<std::byte[]>(reinterpret_cast<std::byte*>(lane.first)), lane.room});
  } else {
    world_.abandon(lane.slot, World::Hold::as_lane);
  }
  lane = {};
}

// Passes on the blocks that wait, outside handlers. Handlers that run meanwhile may add more; each pass takes the ones
// that were there, so that producers are pushed back but two ranks cannot keep each other busy for ever.
template <class R, class H>
void DirectLanes<R, H>::work_off(Thread& thread) {
  std::vector<Block> blocks = std::exchange(thread.waiting, {});
  for (Block& b : blocks) {
    if (b.to == world_.rank()) {
      intake_.handle(b.to, {reinterpret_cast<const R*>(b.memory.bytes.get()), b.records});
    } else if (pieces_) {
      pieces_->send(b.to, intake_.epoch(), b.memory.bytes.get());
    } else {
      Slot slot;
      world_.wait_until("send: a slot for what handlers sent", [&] { return world_.acquire(b.to, slot) == Busy::no; });
      stream_copy(slot.data, b.memory.bytes.get(), b.records * sizeof(R));
      world_.publish(channel_, slot, b.records * sizeof(R), World::Hold::briefly, intake_.epoch());
    }
    thread.spare.push_back(std::move(b.memory));
  }
}

template <class R, class H>
void DirectLanes<R, H>::send_run(Thread& thread, Rank to, std::span<const R> records) {
  while (!records.empty()) {
    if (const Lane& lane = thread.lanes[static_cast<std::size_t>(to)]; lane.at == lane.end) turn(thread, to);
    Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
    const std::size_t n = std::min(records.size(), static_cast<std::size_t>(lane.end - lane.at));
    std::memcpy(static_cast<void*>(lane.at), records.data(), n * sizeof(R));
    lane.at += n;
    records = records.subspan(n);
  }
}

template <class R, class H>
void DirectLanes<R, H>::send_many(Thread& thread, std::span<const Rank> to, std::span<const R> records) {
  if constexpr (sizeof(R) == 4 || sizeof(R) == 8 || sizeof(R) == 16) {
    // Lanes end kBucketSlack earlier for the kernel.
    constexpr std::size_t kSpare = kBucketSlack / sizeof(R);
    const BucketKernel kernel = capacity_ >= 4 * kSpare ? bucket_kernel(sizeof(R), ranks_) : nullptr;
    if (kernel) {
      std::byte* at[kMaxBuckets];
      std::byte* limit[kMaxBuckets];
      std::size_t done = 0;
      while (done < records.size()) {
        // Handlers that run while one lane is turned may append to another: look at all until none had to be turned.
        for (Rank r = 0, good = 0; good < ranks_; r = (r + 1) % ranks_) {
          const Lane& lane = thread.lanes[static_cast<std::size_t>(r)];
          const bool full = lane.end - lane.at <= static_cast<std::ptrdiff_t>(kSpare);
          if (full) turn(thread, r);
          good = full ? 0 : good + 1;
        }
        for (Rank r = 0; r < ranks_; ++r) {
          Lane& lane = thread.lanes[static_cast<std::size_t>(r)];
          at[r] = reinterpret_cast<std::byte*>(lane.at);
          limit[r] = reinterpret_cast<std::byte*>(lane.end) - kBucketSlack;
        }
        const std::size_t n = kernel(to.data() + done, records.data() + done, records.size() - done, ranks_, at, limit);
        for (Rank r = 0; r < ranks_; ++r) thread.lanes[static_cast<std::size_t>(r)].at = reinterpret_cast<R*>(at[r]);
        done += n;
        if (n == 0 && records.size() - done < kBucketStep) break;
      }
      to = to.subspan(done);
      records = records.subspan(done);
    }
  }
  for (std::size_t i = 0; i < records.size(); ++i) send(thread, to[i], records[i]);
}

template <class R, class H>
void DirectLanes<R, H>::flush() {
  for (bool again = true; again;) {
    again = false;
    for (Thread& t : threads_) {
      for (std::size_t r = 0; r < t.lanes.size(); ++r) {
        if (const Lane& lane = t.lanes[r]; lane.at == lane.first) continue;
        hand_over(t, static_cast<Rank>(r));
        again = true;
      }
      while (!t.waiting.empty()) work_off(t);
    }
  }
}

}  // namespace atl
