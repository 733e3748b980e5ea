// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/aggregation/bucket.hpp>
#include <atoll/runtime/aggregation/epoch_receiver.hpp>
#include <atoll/runtime/aggregation/pieces.hpp>
#include <atoll/runtime/record_charges.hpp>
#include <bit>
#include <cstring>
#include <optional>

namespace atl {

/// The sending half of a mailbox whose records take one hop. Each thread appends to one send buffer per rank. A
/// buffer's memory is either a slot of the fabric or a heap block. Blocks serve the own rank, ranks in shared memory
/// (see fill_blocks_) and records that handlers send while the fabric is busy. A full buffer is published at once. A
/// handler never waits: it leaves its full blocks behind, and drain_blocks() sends them outside handlers.
template <class R, class H>
class SendBuffers {
 public:
  /// A record fits into a slot, or the sender cuts it into Pieces.
  enum class Records { in_slots, in_pieces };
  /// Whether the size of blocks grows with the traffic from part of a slot to a whole slot.
  enum class BlockSize { grows, stays_small };

  [[gnu::cold]] SendBuffers(World& world, EpochReceiver<R, H>& receiver, Records records, BlockSize block_size)
      : world_(world),
        receiver_(receiver),
        charges_(world),
        ranks_(world.size()),
        capacity_(std::max<std::size_t>(1, world.payload_bytes() / sizeof(R))),
        fill_blocks_(world.all_near() || records == Records::in_pieces),
        block_size_(block_size),
        threads_(static_cast<std::size_t>(world.thread_slots())) {
    if (records == Records::in_pieces) pieces_.emplace(world, sizeof(R), &SendBuffers::deliver_whole, this);
    channel_ = world.open_channel(&SendBuffers::deliver, this);
  }
  [[gnu::cold]] ~SendBuffers() {
    for (auto& t : threads_)
      for (Buffer& buffer : t.buffers) release_memory(buffer);
    world_.close_channel(channel_);
    world_.note_memory(-static_cast<std::ptrdiff_t>(block_bytes_.load()));
  }
  SendBuffers(const SendBuffers&) = delete;
  SendBuffers& operator=(const SendBuffers&) = delete;

  /// Call it before the first send.
  void open() {
    for (auto& t : threads_) t.buffers.resize(static_cast<std::size_t>(ranks_));
  }
  /// Receives the records of one thread before they are sent.
  using Keep = void (*)(void* box, std::size_t thread, Rank to, std::span<const R> records);
  /// From here on keep(box, ..) gets all that is sent. Before the first send.
  void keep_by(Keep keep, void* box) {
    keep_ = keep;
    box_ = box;
  }
  /// The most records that one buffer holds.
  std::size_t capacity() const { return capacity_; }
  bool in_pieces() const { return pieces_.has_value(); }

  struct Thread;
  Thread& thread(std::size_t number) { return threads_[number]; }
  void send(Thread& thread, Rank to, const R& record) {
    ATOLL_ASSERT(to >= 0 && to < ranks_);
    Buffer& buffer = thread.buffers[to];
    if (buffer.at == buffer.end) [[unlikely]]
      refill(thread, to);
    *buffer.at++ = record;
  }
  void send_many(Thread& thread, std::span<const Rank> to, std::span<const R> records);
  void send_run(Thread& thread, Rank to, std::span<const R> records);
  /// Runs the handler on records for the own rank, without copying them. Not inside a handler.
  void send_here(Thread& thread, std::span<const R> records) {
    thread.sent += records.size();
    if (keep_) [[unlikely]]
      keep_(box_, number_of(thread), world_.rank(), records);
    receiver_.handle(world_.rank(), records);
  }

  /// Sends everything that this rank's threads have appended, including what handlers append meanwhile.
  void flush();
  /// Gives all slots back. A mailbox holds none between epochs, because other mailboxes need them.
  void release_slots() {
    for (Thread& t : threads_)
      for (Buffer& buffer : t.buffers)
        if (buffer.slot.ticket != kBlock) release_memory(buffer);
  }
  /// The number of records published or handled in place, over all epochs.
  std::uint64_t sent() const {
    std::uint64_t sum = 0;
    for (const Thread& t : threads_) sum += t.sent;
    return sum;
  }

 private:
  static constexpr std::uint32_t kBlock = UINT32_MAX;  // ticket of a buffer whose memory is a heap block
  // The send buffer of one thread for one rank.
  struct Buffer {
    R* at = nullptr;
    R* end = nullptr;
    R* first = nullptr;
    Slot slot;
    std::size_t capacity = 0;  // of a block, in records
  };
  struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t capacity = 0;  // in records
  };
  struct Block {
    Rank to = -1;
    std::size_t records = 0;
    Memory memory;
  };

 public:
  struct alignas(128) Thread {
    std::vector<Buffer> buffers;  // [rank]
    std::vector<Block> waiting;   // full blocks: drain_blocks() sends them outside handlers
    std::vector<Memory> spare;
    std::uint64_t sent = 0;
  };

 private:
  static void deliver(void* self, Rank from, std::uint32_t epoch, const std::byte* data, std::size_t bytes) {
    const std::span records(reinterpret_cast<const R*>(data), bytes / sizeof(R));
    static_cast<SendBuffers*>(self)->receiver_.receive(from, epoch, records);
  }
  static void deliver_whole(void* self, Rank from, std::uint32_t epoch, const std::byte* record) {
    static_cast<SendBuffers*>(self)->receiver_.receive(from, epoch, {reinterpret_cast<const R*>(record), 1});
  }
  static std::size_t bytes_for(std::size_t records) { return records * sizeof(R) + kBucketSlack; }
  std::size_t number_of(const Thread& thread) const { return static_cast<std::size_t>(&thread - threads_.data()); }
  std::size_t block_records(const Thread& thread) const;
  Memory take_memory(std::size_t records);
  void free_memory(Memory memory);
  void refill(Thread& thread, Rank to);
  void publish_full(Thread& thread, Rank to);
  void fill(Thread& thread, Rank to);
  void give_block(Thread& thread, Rank to);
  void release_memory(Buffer& buffer);
  void drain_blocks(Thread& thread);

  World& world_;
  EpochReceiver<R, H>& receiver_;
  const RecordCharges charges_;
  const Rank ranks_;
  const std::size_t capacity_;
  /// Whether to fill heap blocks and copy them into slots when full. The cache lines of a slot in shared memory were
  /// last read by the receiver's core, so filling it record by record fetches each of them back (225 M records a second
  /// where cores are far apart). A heap block stays in this core's cache, and streaming stores copy it.
  const bool fill_blocks_;
  const BlockSize block_size_;
  std::optional<Pieces> pieces_;  // only if a record is longer than a slot
  std::uint32_t channel_ = 0;
  Keep keep_ = nullptr;
  void* box_ = nullptr;
  std::vector<Thread> threads_;
  std::atomic<std::size_t> block_bytes_{0};
};

// ---------------------------------------------------------------------------------------------------------------------

// The buffer is full or has no memory yet: publishes what it holds and gives it new memory.
template <class R, class H>
void SendBuffers<R, H>::refill(Thread& thread, Rank to) {
  const bool full = thread.buffers[to].first != nullptr;
  if (full) publish_full(thread, to);
  if (!receiver_.in_handler()) {
    receiver_.begin();
    if (full) world_.progress();  // receive at the pace at which we send
    if (!thread.waiting.empty()) drain_blocks(thread);
    // A handler that ran just now may have appended to this very buffer.
    Buffer& buffer = thread.buffers[to];
    if (buffer.first && buffer.at != buffer.end) return;
    if (buffer.first) publish_full(thread, to);
  }
  fill(thread, to);
}

template <class R, class H>
void SendBuffers<R, H>::publish_full(Thread& thread, Rank to) {
  Buffer& buffer = thread.buffers[to];
  const auto n = static_cast<std::size_t>(buffer.at - buffer.first);
  thread.sent += n;
  if (keep_) [[unlikely]]
    keep_(box_, number_of(thread), to, {buffer.first, n});
  // The bytes of a slot are charged where it is published.
  charges_.append(n, buffer.slot.ticket == kBlock ? n * sizeof(R) : 0);
  if (buffer.slot.ticket == kBlock) {
    Block& block = thread.waiting.emplace_back();  // where there is no memory for one, the send buffer keeps its block
    block = {to, n, {std::unique_ptr<std::byte[]>(reinterpret_cast<std::byte*>(buffer.first)), buffer.capacity}};
  } else {
    world_.publish(channel_, buffer.slot, n * sizeof(R), World::Hold::as_send_buffer, receiver_.epoch());
  }
  buffer = {};
}

template <class R, class H>
void SendBuffers<R, H>::give_block(Thread& thread, Rank to) {
  const std::size_t records = block_records(thread);
  Memory memory;
  if (!thread.spare.empty()) {
    memory = std::move(thread.spare.back());
    thread.spare.pop_back();
  }
  if (memory.capacity < records) {
    free_memory(std::move(memory));
    memory = take_memory(records);
  }
  Buffer& buffer = thread.buffers[to];
  buffer.first = buffer.at = reinterpret_cast<R*>(memory.bytes.release());
  buffer.end = buffer.first + records;
  buffer.capacity = memory.capacity;
  buffer.slot = {};
  buffer.slot.ticket = kBlock;
}

// Sending a slot costs a microsecond however full it is, so full slots are fastest, but they touch the most memory.
// Blocks therefore start small and grow to a whole slot once a thread has sent so much to each rank that the cost of
// touching the memory no longer matters.
template <class R, class H>
std::size_t SendBuffers<R, H>::block_records(const Thread& thread) const {
  constexpr std::size_t kAtFirst = 16 << 10, kOfTraffic = 32;
  const std::size_t sent = thread.sent * sizeof(R) / static_cast<std::size_t>(ranks_);
  const std::size_t slot =
      block_size_ == BlockSize::grows ? std::max(kAtFirst, std::bit_floor(sent / kOfTraffic)) : kAtFirst;
  return std::clamp<std::size_t>((slot - World::kHeaderBytes) / sizeof(R), 1, capacity_);
}

template <class R, class H>
typename SendBuffers<R, H>::Memory SendBuffers<R, H>::take_memory(std::size_t records) {
  const std::size_t bytes = bytes_for(records);
  Memory memory{std::unique_ptr<std::byte[]>(new std::byte[bytes]), records};
  block_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  world_.note_memory(static_cast<std::ptrdiff_t>(bytes));
  return memory;
}

template <class R, class H>
void SendBuffers<R, H>::free_memory(Memory memory) {
  if (!memory.bytes) return;
  const std::size_t bytes = bytes_for(memory.capacity);
  block_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  world_.note_memory(-static_cast<std::ptrdiff_t>(bytes));
}

// Gives a buffer without memory a slot. It gets a block instead where waiting for a slot is not allowed: inside
// handlers, and when all slots that send buffers may hold are taken.
template <class R, class H>
void SendBuffers<R, H>::fill(Thread& thread, Rank to) {
  if (to == world_.rank() || fill_blocks_) return give_block(thread, to);
  Slot slot;
  Busy busy = world_.acquire(to, slot, World::Hold::as_send_buffer);
  if (busy != Busy::no && busy != Busy::reserved && !receiver_.in_handler()) {
    Buffer& buffer = thread.buffers[to];
    world_.wait_until("send: a slot to the peer", [&] {
      if (buffer.first) return true;  // a handler that ran in this wait has sent to the same rank
      busy = world_.acquire(to, slot, World::Hold::as_send_buffer);
      return busy == Busy::no || busy == Busy::reserved;
    });
    if (buffer.first) return buffer.at == buffer.end ? refill(thread, to) : void();
  }
  if (busy != Busy::no) return give_block(thread, to);
  Buffer& buffer = thread.buffers[to];
  buffer.first = buffer.at = reinterpret_cast<R*>(slot.data);
  buffer.end = buffer.first + capacity_;
  buffer.slot = slot;
}

// Frees the memory of a buffer that nobody needs now.
template <class R, class H>
void SendBuffers<R, H>::release_memory(Buffer& buffer) {
  if (!buffer.first) return;
  if (buffer.slot.ticket == kBlock) {
    free_memory({std::unique_ptr<std::byte[]>(reinterpret_cast<std::byte*>(buffer.first)), buffer.capacity});
  } else {
    world_.abandon(buffer.slot, World::Hold::as_send_buffer);
  }
  buffer = {};
}

// Sends the waiting blocks; not inside handlers. Handlers that run meanwhile may add more blocks. Each pass takes only
// those that were there at its start: producers feel back-pressure, yet two ranks cannot keep each other busy for ever.
template <class R, class H>
void SendBuffers<R, H>::drain_blocks(Thread& thread) {
  std::vector<Block> blocks = std::exchange(thread.waiting, {});
  for (Block& b : blocks) {
    if (b.to == world_.rank()) {
      receiver_.handle(b.to, {reinterpret_cast<const R*>(b.memory.bytes.get()), b.records});
    } else if (pieces_) {
      pieces_->send(b.to, receiver_.epoch(), b.memory.bytes.get());
    } else {
      Slot slot;
      world_.wait_until("send: a slot for what handlers sent", [&] { return world_.acquire(b.to, slot) == Busy::no; });
      stream_copy(slot.data, b.memory.bytes.get(), b.records * sizeof(R));
      world_.publish(channel_, slot, b.records * sizeof(R), World::Hold::briefly, receiver_.epoch());
    }
    thread.spare.push_back(std::move(b.memory));
  }
}

template <class R, class H>
void SendBuffers<R, H>::send_run(Thread& thread, Rank to, std::span<const R> records) {
  while (!records.empty()) {
    if (const Buffer& buffer = thread.buffers[to]; buffer.at == buffer.end) refill(thread, to);
    Buffer& buffer = thread.buffers[to];
    const std::size_t n = std::min(records.size(), static_cast<std::size_t>(buffer.end - buffer.at));
    std::memcpy(static_cast<void*>(buffer.at), records.data(), n * sizeof(R));
    buffer.at += n;
    records = records.subspan(n);
  }
}

template <class R, class H>
void SendBuffers<R, H>::send_many(Thread& thread, std::span<const Rank> to, std::span<const R> records) {
  if constexpr (sizeof(R) == 4 || sizeof(R) == 8 || sizeof(R) == 16) {
    // The kernel may write kBucketSlack bytes beyond a limit, so limits lie that far before the ends of buffers.
    constexpr std::size_t kSpare = kBucketSlack / sizeof(R);
    const BucketKernel kernel = capacity_ >= 4 * kSpare ? bucket_kernel(sizeof(R), ranks_) : nullptr;
    if (kernel) {
      std::byte* at[kMaxBuckets];
      std::byte* limit[kMaxBuckets];
      std::size_t done = 0;
      while (done < records.size()) {
        // Handlers that run while one buffer is refilled may append to another one: go round until no buffer had to be
        // refilled.
        for (Rank r = 0, good = 0; good < ranks_; r = (r + 1) % ranks_) {
          const Buffer& buffer = thread.buffers[r];
          const bool full = buffer.end - buffer.at <= static_cast<std::ptrdiff_t>(kSpare);
          if (full) refill(thread, r);
          good = full ? 0 : good + 1;
        }
        for (Rank r = 0; r < ranks_; ++r) {
          Buffer& buffer = thread.buffers[r];
          at[r] = reinterpret_cast<std::byte*>(buffer.at);
          limit[r] = reinterpret_cast<std::byte*>(buffer.end) - kBucketSlack;
        }
        const std::size_t n = kernel(to.data() + done, records.data() + done, records.size() - done, ranks_, at, limit);
        for (Rank r = 0; r < ranks_; ++r) thread.buffers[r].at = reinterpret_cast<R*>(at[r]);
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
void SendBuffers<R, H>::flush() {
  for (bool again = true; again;) {
    again = false;
    for (Thread& t : threads_) {
      for (std::size_t r = 0; r < t.buffers.size(); ++r) {
        if (const Buffer& buffer = t.buffers[r]; buffer.at == buffer.first) continue;
        publish_full(t, static_cast<Rank>(r));
        again = true;
      }
      while (!t.waiting.empty()) drain_blocks(t);
    }
  }
}

}  // namespace atl
