// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/runtime/aggregation/bucket.hpp>
#include <atoll/runtime/aggregation/forward_queue.hpp>
#include <atoll/runtime/aggregation/hop_list.hpp>
#include <atoll/runtime/aggregation/merge.hpp>
#include <atoll/runtime/record_charges.hpp>
#include <atoll/runtime/world.hpp>
#include <cstring>
#include <span>

namespace atl {

/// The send buffers of a relay: each thread has one for each hop out (next rank, arrival phase and round). A buffer has
/// two columns, records and their targets, and a packet carries them one behind the other. A full buffer is copied into
/// slots at once. A buffer that is not full waits for its round. If the record type names a merge, the sender first
/// merges the buffer and sends it only if it is still more than half full.
///
/// If no slot to the next hop is free, the buffer's block waits in the ForwardQueue and the buffer goes on in a new
/// block. Plan::buffers says how far a producer may run ahead of its links: "dynamic" up to the budget, "switched" by
/// the one block that it fills while another waits, "single" not at all. A rank that forwards never waits. When the
/// buffers themselves hold half of the budget, the thread sends its largest one first.
template <class R, class M>
class RelayBuffers {
 public:
  using Phase = Route::Phase;
  using Block = ForwardQueue::Block;
  static constexpr std::size_t kChunk = 256;  // records distributed at a time
  enum class Full { may_wait, never_waits };

  [[gnu::cold]] RelayBuffers(World& world, const HopList& hops, ForwardQueue& forward_queue, M merge);
  [[gnu::cold]] ~RelayBuffers() {
    std::size_t bytes = 0;
    for (const Thread& t : threads_) bytes += t.buffer_bytes;
    world_.note_memory(-static_cast<std::ptrdiff_t>(bytes));
  }
  RelayBuffers(const RelayBuffers&) = delete;
  RelayBuffers& operator=(const RelayBuffers&) = delete;

  struct alignas(128) Thread {
    std::vector<Block> buffers;       // [hop]
    std::vector<std::uint64_t> gone;  // [hop] records sent in this epoch, after merging
    std::size_t buffer_bytes = 0;     // held by `buffers`
    std::vector<std::uint32_t> seen;  // the hash table of merge_buffer
    std::uint64_t sent = 0;           // by the mailbox's users, over all epochs
    std::uint64_t charged = 0;        // of these, records whose appending a virtual clock has in it
    std::uint64_t merged = 0;
  };
  std::vector<Thread>& threads() { return threads_; }
  const std::vector<Thread>& threads() const { return threads_; }

  static R* records_of(const Block& b) { return reinterpret_cast<R*>(b.memory.get()); }
  static Rank* targets_of(const Block& b) { return reinterpret_cast<Rank*>(b.memory.get() + b.targets_at); }

  /// Appends one record; two stores if the buffer has free capacity.
  void send(Thread& thread, std::uint32_t hop, std::uint32_t epoch, Rank to, const R& record) {
    Block& buffer = thread.buffers[hop];
    // One comparison finds both an empty buffer, which must be opened, and a full one, which must be sent.
    if (buffer.size - 1 >= buffer.capacity - 1) [[unlikely]]
      return append(thread, hop, epoch, to, record,
                    world_.thread_state().handlers == 0 ? Full::may_wait : Full::never_waits);
    records_of(buffer)[buffer.size] = record;
    targets_of(buffer)[buffer.size++] = to;
  }
  void append(Thread& thread, std::uint32_t hop, std::uint32_t epoch, Rank to, const R& record, Full full);
  void distribute(Thread& thread, Phase phase, std::uint32_t epoch, const Rank* to, const R* records, std::size_t n,
                  Full full);

  /// Sends what the buffers hold for rounds up to this one.
  void flush(int round);
  /// Sends what is left on the hops of a round. The last block of each hop, which may be empty, closes the hop and
  /// carries sums_of(hop).
  template <class SumsOf>
  void close(int round, std::uint32_t epoch, SumsOf&& sums_of);
  /// Call it when all hops are closed.
  void end_epoch() {
    for (Thread& t : threads_) std::fill(t.gone.begin(), t.gone.end(), 0);
  }

 private:
  static constexpr std::size_t kFirstBlock = 16;  // records in a buffer's first block; each later one is twice as large
  static constexpr std::size_t kSpareBytes = kBucketSlack + 64;

  void grow(Thread& thread, Block& buffer, std::size_t capacity);
  void open(Thread& thread, std::uint32_t hop, std::uint32_t epoch, std::size_t capacity);
  void send_full(Thread& thread, std::uint32_t hop, Full full);
  void send_buffer(Thread& thread, std::uint32_t hop);
  void send_largest(Thread& thread);
  void merge_buffer(Thread& thread, Block& block);

  World& world_;
  const HopList& hops_;
  ForwardQueue& forward_queue_;
  [[no_unique_address]] M merge_;
  const RecordCharges charges_;
  const bool
      combines_;  // whether to merge records of equal target and key: not without lane_bytes and Savings::merging
  // of a buffer in records; larger than a slot where merging needs many records in one buffer
  const std::size_t capacity_;
  BucketKernel bucket_records_ = nullptr, bucket_targets_ = nullptr;
  std::vector<Thread> threads_;
};

// ---------------------------------------------------------------------------------------------------------------------

template <class R, class M>
RelayBuffers<R, M>::RelayBuffers(World& world, const HopList& hops, ForwardQueue& forward_queue, M merge)
    : world_(world),
      hops_(hops),
      forward_queue_(forward_queue),
      merge_(std::move(merge)),
      charges_(world),
      combines_(kMerges<M> && world.plan().lane_bytes > 0 && world.savings().merging),
      capacity_(!combines_ ? forward_queue_.piece()
                           : std::max(forward_queue_.piece(), world.plan().lane_bytes / (sizeof(R) + sizeof(Rank)))),
      threads_(static_cast<std::size_t>(world.thread_slots())) {
  check(forward_queue_.piece() > 0,
        "slot_bytes is {} (records of {} bytes and their targets do not fit). Raise it in the plan.",
        world.plan().slot_bytes, sizeof(R));
  const std::size_t hop_count = hops_.hops().size();
  for (Thread& t : threads_) {
    t.buffers.resize(hop_count);
    t.gone.resize(hop_count);
  }
  if (constexpr std::size_t n = sizeof(R); (n == 4 || n == 8 || n == 16) && capacity_ >= 4 * kChunk) {
    bucket_records_ = bucket_kernel(n, static_cast<Rank>(hop_count));
    bucket_targets_ = bucket_kernel(sizeof(Rank), static_cast<Rank>(hop_count));
  }
}

// Gives the buffer this capacity and keeps its records.
template <class R, class M>
void RelayBuffers<R, M>::grow(Thread& thread, Block& buffer, std::size_t capacity) {
  const std::size_t before = buffer.memory ? buffer.bytes() : 0;
  const std::size_t targets_at = (capacity * sizeof(R) + kSpareBytes + 63) / 64 * 64;
  std::unique_ptr<std::byte[]> memory(new std::byte[targets_at + capacity * sizeof(Rank) + kSpareBytes]);
  if (buffer.size > 0) {
    std::memcpy(memory.get(), buffer.memory.get(), buffer.size * sizeof(R));
    std::memcpy(memory.get() + targets_at, buffer.memory.get() + buffer.targets_at, buffer.size * sizeof(Rank));
  }
  buffer.memory = std::move(memory);
  buffer.capacity = capacity;
  buffer.targets_at = targets_at;
  thread.buffer_bytes += buffer.bytes() - before;
  world_.note_memory(static_cast<std::ptrdiff_t>(buffer.bytes()) - static_cast<std::ptrdiff_t>(before));
}

template <class R, class M>
void RelayBuffers<R, M>::open(Thread& thread, std::uint32_t hop, std::uint32_t epoch, std::size_t capacity) {
  Block& buffer = thread.buffers[hop];
  if (buffer.capacity < capacity) grow(thread, buffer, capacity);
  // A buffer holds records of one epoch: a rank enters the next one only after the last has ended everywhere.
  ATOLL_ASSERT(buffer.size == 0 || buffer.epoch == epoch);
  buffer.hop = hop;
  buffer.epoch = epoch;
}

template <class R, class M>
void RelayBuffers<R, M>::append(Thread& thread, std::uint32_t hop, std::uint32_t epoch, Rank to, const R& record,
                                Full full) {
  while (thread.buffers[hop].size == thread.buffers[hop].capacity) {
    Block& buffer = thread.buffers[hop];
    if (buffer.capacity == capacity_) {
      send_full(thread, hop, full);
      continue;
    }
    grow(thread, buffer, std::min(capacity_, std::max(kFirstBlock, 2 * buffer.capacity)));
    if (thread.buffer_bytes > forward_queue_.buffers_limit() / threads_.size()) send_largest(thread);
  }
  if (thread.buffers[hop].size == 0) open(thread, hop, epoch, std::min(capacity_, kFirstBlock));
  Block& buffer = thread.buffers[hop];
  records_of(buffer)[buffer.size] = record;
  targets_of(buffer)[buffer.size++] = to;
}

template <class R, class M>
void RelayBuffers<R, M>::distribute(Thread& thread, Phase phase, std::uint32_t epoch, const Rank* to, const R* records,
                                    std::size_t n, Full full) {
  const std::uint32_t* table = hops_.table(phase);
  const std::size_t hop_count = hops_.hops().size();
  std::size_t done = 0;
  while (bucket_records_ && n - done >= kBucketStep) {
    const std::size_t some = std::min(n - done, kChunk);
    Rank hop[kChunk];
    for (std::size_t i = 0; i < some; ++i) hop[i] = static_cast<Rank>(table[to[done + i]]);
    std::byte *at[kMaxBuckets], *limit[kMaxBuckets], *target_at[kMaxBuckets], *target_limit[kMaxBuckets];
    // Handlers that run while one buffer is sent may append to another one: go round until no buffer had to be sent.
    for (std::size_t w = 0, good = 0; good < hop_count; w = (w + 1) % hop_count) {
      const bool is_full = capacity_ - thread.buffers[w].size < kChunk;
      if (is_full) send_full(thread, static_cast<std::uint32_t>(w), full);
      good = is_full ? 0 : good + 1;
    }
    for (std::uint32_t w = 0; w < hop_count; ++w) {
      Block& buffer = thread.buffers[w];
      if (buffer.capacity - buffer.size < kChunk)
        grow(thread, buffer, std::min(capacity_, std::max(2 * kChunk, 2 * buffer.capacity)));
      if (buffer.size == 0) open(thread, w, epoch, 0);
      at[w] = reinterpret_cast<std::byte*>(records_of(buffer) + buffer.size);
      limit[w] = reinterpret_cast<std::byte*>(records_of(buffer) + buffer.capacity + 1);
      target_at[w] = reinterpret_cast<std::byte*>(targets_of(buffer) + buffer.size);
      target_limit[w] = reinterpret_cast<std::byte*>(targets_of(buffer) + buffer.capacity + 1);
    }
    const auto buckets = static_cast<Rank>(hop_count);
    const std::size_t moved = bucket_records_(hop, records + done, some, buckets, at, limit);
    bucket_targets_(hop, to + done, moved, buckets, target_at, target_limit);
    for (std::uint32_t w = 0; w < hop_count; ++w) {
      Block& buffer = thread.buffers[w];
      buffer.size = static_cast<std::size_t>(reinterpret_cast<R*>(at[w]) - records_of(buffer));
    }
    done += moved;
    if (moved == 0) break;
  }
  for (; done < n; ++done) append(thread, table[to[done]], epoch, to[done], records[done], full);
}

// The buffer is full: merges it, and sends it if that does not free half of it.
template <class R, class M>
void RelayBuffers<R, M>::send_full(Thread& thread, std::uint32_t hop, Full full) {
  Block& buffer = thread.buffers[hop];
  if constexpr (kMerges<M>) {
    merge_buffer(thread, buffer);
    if (buffer.size <= capacity_ / 2) return;
  }
  send_buffer(thread, hop);
  if (!buffer.memory) grow(thread, buffer, capacity_);  // the new block will fill up like the last one
  if (full == Full::never_waits) return;
  world_.progress();  // receive at the pace at which we send
  forward_queue_.wait_for_capacity(hop);
  if (world_.plan().buffers == "single") forward_queue_.wait_for_slot(hop);
}

// Copies the buffer into slots, or moves it to the ForwardQueue if slots are missing. The buffer is empty meanwhile,
// because a handler that receives records of this very rank may append to it.
template <class R, class M>
void RelayBuffers<R, M>::send_buffer(Thread& thread, std::uint32_t hop) {
  const std::size_t appended = thread.sent - std::exchange(thread.charged, thread.sent);
  charges_.append(appended, appended * (sizeof(R) + sizeof(Rank)));
  Block block = std::exchange(thread.buffers[hop], {});
  block.sent = 0;
  thread.gone[hop] += block.size;
  if (!forward_queue_.send(block)) {
    thread.buffer_bytes -= block.bytes();
    forward_queue_.enqueue(std::move(block));
  } else if (Block& buffer = thread.buffers[hop]; !buffer.memory) {
    block.size = 0;
    buffer = std::move(block);
  } else {
    thread.buffer_bytes -= block.bytes();
    world_.note_memory(-static_cast<std::ptrdiff_t>(block.bytes()));
  }
}

template <class R, class M>
void RelayBuffers<R, M>::send_largest(Thread& thread) {
  const auto largest = std::max_element(thread.buffers.begin(), thread.buffers.end(),
                                        [](const Block& a, const Block& b) { return a.size < b.size; });
  if (largest->size == 0) return;
  const auto hop = static_cast<std::uint32_t>(largest - thread.buffers.begin());
  merge_buffer(thread, *largest);
  send_buffer(thread, hop);
  if (!largest->memory || largest->size > 0) return;
  // The buffer was sent at once; free its memory, because other buffers need it.
  thread.buffer_bytes -= largest->bytes();
  world_.note_memory(-static_cast<std::ptrdiff_t>(largest->bytes()));
  *largest = {};
}

template <class R, class M>
void RelayBuffers<R, M>::flush(int round) {
  for (Thread& t : threads_)
    for (std::uint32_t w = 0; w < t.buffers.size(); ++w) {
      if (t.buffers[w].size == 0 || hops_.hops()[w].round > round) continue;
      merge_buffer(t, t.buffers[w]);
      send_buffer(t, w);
    }
}

template <class R, class M>
template <class SumsOf>
void RelayBuffers<R, M>::close(int round, std::uint32_t epoch, SumsOf&& sums_of) {
  for (std::uint32_t w = 0; w < hops_.hops().size(); ++w) {
    const HopList::Hop& hop = hops_.hops()[w];
    if (hop.round != round) continue;
    std::uint64_t gone = 0;
    Thread* last = &threads_[0];
    for (Thread& t : threads_) {
      if (t.buffers[w].size > 0) merge_buffer(t, t.buffers[w]);
      gone += t.gone[w] + t.buffers[w].size;
      if (t.buffers[w].size == 0) continue;
      if (last->buffers[w].size > 0 && last != &t) send_buffer(*last, w);
      last = &t;
    }
    Block& buffer = last->buffers[w];
    if (hop.next != world_.rank()) {
      buffer.closes = 1 + gone;
      buffer.sums = sums_of(hop);
    }
    buffer.hop = w;
    buffer.epoch = epoch;
    if (buffer.size > 0 || buffer.closes > 0) send_buffer(*last, w);
  }
}

template <class R, class M>
void RelayBuffers<R, M>::merge_buffer(Thread& thread, Block& block) {
  if constexpr (kMerges<M>) {
    if (!combines_) return;
    charges_.merge(block.size);
    const std::size_t left = merge_equal(merge_, records_of(block), targets_of(block), block.size, thread.seen);
    auto& level = world_.thread_state().counters.levels[world_.level_to(hops_.hops()[block.hop].next)];
    level.merged_bytes += (block.size - left) * (sizeof(R) + sizeof(Rank));
    thread.merged += block.size - left;
    block.size = left;
  }
}

}  // namespace atl
