// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/runtime/aggregation/bucket.hpp>
#include <atoll/runtime/aggregation/forward_queue.hpp>
#include <atoll/runtime/aggregation/merge.hpp>
#include <atoll/runtime/world.hpp>
#include <cstring>
#include <span>

namespace atl {

/// The lanes of a relay: for each thread one for each way (next rank and phase), in two columns, the records and their
/// targets, which travel one after the other. A full lane is copied into slots at once and filled again; what is not full
/// waits for its round. Where a record type names a merge, a lane is merged before it is sent, and sent only if it is
/// still full.
///
/// Where the slots to the next hop are taken, a lane's block waits (ForwardQueue) and the lane goes on in another. So a producer
/// runs ahead of its links by as much as the plan's buffers say: dynamic, up to the budget; switched, by the one block that
/// it fills while another waits; single, not at all. Whoever forwards never waits. When the lanes themselves hold half of
/// the budget, the largest is sent first.
template <class R, class M>
class RelayLanes {
 public:
  using Phase = Route::Phase;
  using Block = ForwardQueue::Block;
  static constexpr std::size_t kChunk = 256;  // records that are dealt out together
  enum class Full { may_wait, never_waits };

  RelayLanes(World& world, const Hops& hops, ForwardQueue& onward, M merge);
  ~RelayLanes() {
    std::size_t bytes = 0;
    for (const Thread& t : threads_) bytes += t.lane_bytes;
    world_.note_memory(-static_cast<std::ptrdiff_t>(bytes));
  }
  RelayLanes(const RelayLanes&) = delete;
  RelayLanes& operator=(const RelayLanes&) = delete;

  struct alignas(128) Thread {
    std::vector<Block> lanes;         // [way]
    std::vector<std::uint64_t> gone;  // [way] records of this epoch, merged ones left out
    std::size_t lane_bytes = 0;       // of them
    std::vector<std::uint32_t> seen;  // of merge_lane
    std::uint64_t sent = 0;           // by the mailbox, over all epochs
    std::uint64_t merged = 0;
  };
  std::vector<Thread>& threads() { return threads_; }
  const std::vector<Thread>& threads() const { return threads_; }

  static R* records_of(const Block& b) { return reinterpret_cast<R*>(b.memory.get()); }
  static Rank* targets_of(const Block& b) { return reinterpret_cast<Rank*>(b.memory.get() + b.targets_at); }

  /// One record on its way; in a lane that has room it is two stores.
  void send(Thread& thread, std::uint32_t way, std::uint32_t epoch, Rank to, const R& record) {
    Block& lane = thread.lanes[way];
    // One compare for both ends: an empty lane has to be opened, a full one turned.
    if (lane.size - 1 >= lane.capacity - 1) [[unlikely]]
      return append(thread, way, epoch, to, record,
                    world_.thread_state().handlers == 0 ? Full::may_wait : Full::never_waits);
    records_of(lane)[lane.size] = record;
    targets_of(lane)[lane.size++] = to;
  }
  void append(Thread& thread, std::uint32_t way, std::uint32_t epoch, Rank to, const R& record, Full full);
  void deal_out(Thread& thread, Phase phase, std::uint32_t epoch, const Rank* to, const R* records, std::size_t n,
                Full full);

  /// Sends on what is left for rounds up to this one.
  void flush(int round);
  /// Sends what is left on the ways of a round; the last block of each, which may be empty, closes it.
  void close(int round, std::uint32_t epoch);
  /// All ways are closed.
  void end_epoch() {
    for (Thread& t : threads_) std::fill(t.gone.begin(), t.gone.end(), 0);
  }

 private:
  static constexpr std::size_t kFirstBlock = 16;  // records of a lane's first block; it doubles while they come
  static constexpr std::size_t kSpareBytes = kBucketSlack + 64;

  void grow(Thread& thread, Block& lane, std::size_t capacity);
  void open(Thread& thread, std::uint32_t way, std::uint32_t epoch, std::size_t capacity);
  void turn(Thread& thread, std::uint32_t way, Full full);
  void send_on(Thread& thread, std::uint32_t way);
  void send_largest(Thread& thread);
  void merge_lane(Thread& thread, Block& block);

  World& world_;
  const Hops& hops_;
  ForwardQueue& onward_;
  [[no_unique_address]] M merge_;
  const bool combines_;         // records of equal target and key; not if lane_bytes is 0
  const std::size_t capacity_;  // of a lane: more than a slot's, where records may merge that lie in one
  BucketKernel deal_records_ = nullptr, deal_targets_ = nullptr;
  std::vector<Thread> threads_;
};

// ---------------------------------------------------------------------------------------------------------------------

template <class R, class M>
RelayLanes<R, M>::RelayLanes(World& world, const Hops& hops, ForwardQueue& onward, M merge)
    : world_(world),
      hops_(hops),
      onward_(onward),
      merge_(std::move(merge)),
      combines_(kMerges<M> && world.plan().lane_bytes > 0),
      capacity_(!combines_ ? onward_.piece()
                           : std::max(onward_.piece(), world.plan().lane_bytes / (sizeof(R) + sizeof(Rank)))),
      threads_(static_cast<std::size_t>(world.thread_slots())) {
  check(onward_.piece() > 0,
        "slot_bytes is {} (records of {} bytes and their targets do not fit). Raise it in the plan.",
        world.plan().slot_bytes, sizeof(R));
  const std::size_t ways = hops_.ways().size();
  for (Thread& t : threads_) {
    t.lanes.resize(ways);
    t.gone.resize(ways);
  }
  if (constexpr std::size_t n = sizeof(R); (n == 4 || n == 8 || n == 16) && capacity_ >= 4 * kChunk) {
    deal_records_ = bucket_kernel(n, static_cast<Rank>(ways));
    deal_targets_ = bucket_kernel(sizeof(Rank), static_cast<Rank>(ways));
  }
}

// Room for so many records; what is there stays.
template <class R, class M>
void RelayLanes<R, M>::grow(Thread& thread, Block& lane, std::size_t capacity) {
  const std::size_t before = lane.memory ? lane.bytes() : 0;
  const std::size_t targets_at = (capacity * sizeof(R) + kSpareBytes + 63) / 64 * 64;
  std::unique_ptr<std::byte[]> memory(new std::byte[targets_at + capacity * sizeof(Rank) + kSpareBytes]);
  if (lane.size > 0) {
    std::memcpy(memory.get(), lane.memory.get(), lane.size * sizeof(R));
    std::memcpy(memory.get() + targets_at, lane.memory.get() + lane.targets_at, lane.size * sizeof(Rank));
  }
  lane.memory = std::move(memory);
  lane.capacity = capacity;
  lane.targets_at = targets_at;
  thread.lane_bytes += lane.bytes() - before;
  world_.note_memory(static_cast<std::ptrdiff_t>(lane.bytes()) - static_cast<std::ptrdiff_t>(before));
}

template <class R, class M>
void RelayLanes<R, M>::open(Thread& thread, std::uint32_t way, std::uint32_t epoch, std::size_t capacity) {
  Block& lane = thread.lanes[way];
  if (lane.capacity < capacity) grow(thread, lane, capacity);
  // Only records of one epoch are on their way: the one before has ended everywhere.
  ATOLL_ASSERT(lane.size == 0 || lane.epoch == epoch);
  lane.way = way;
  lane.epoch = epoch;
}

template <class R, class M>
void RelayLanes<R, M>::append(Thread& thread, std::uint32_t way, std::uint32_t epoch, Rank to, const R& record,
                              Full full) {
  while (thread.lanes[way].size == thread.lanes[way].capacity) {
    Block& lane = thread.lanes[way];
    if (lane.capacity == capacity_) {
      turn(thread, way, full);
      continue;
    }
    grow(thread, lane, std::min(capacity_, std::max(kFirstBlock, 2 * lane.capacity)));
    if (thread.lane_bytes > onward_.lanes_limit() / threads_.size()) send_largest(thread);
  }
  if (thread.lanes[way].size == 0) open(thread, way, epoch, std::min(capacity_, kFirstBlock));
  Block& lane = thread.lanes[way];
  records_of(lane)[lane.size] = record;
  targets_of(lane)[lane.size++] = to;
}

template <class R, class M>
void RelayLanes<R, M>::deal_out(Thread& thread, Phase phase, std::uint32_t epoch, const Rank* to, const R* records,
                                std::size_t n, Full full) {
  const std::uint32_t* table = hops_.table(phase);
  const std::size_t ways = hops_.ways().size();
  std::size_t done = 0;
  while (deal_records_ && n - done >= kBucketStep) {
    const std::size_t some = std::min(n - done, kChunk);
    Rank way[kChunk];
    for (std::size_t i = 0; i < some; ++i) way[i] = static_cast<Rank>(table[static_cast<std::size_t>(to[done + i])]);
    std::byte *at[kMaxBuckets], *limit[kMaxBuckets], *target_at[kMaxBuckets], *target_limit[kMaxBuckets];
    // Handlers that run while one lane is turned may append to another: look at all until none had to be turned.
    for (std::size_t w = 0, good = 0; good < ways; w = (w + 1) % ways) {
      const bool is_full = capacity_ - thread.lanes[w].size < kChunk;
      if (is_full) turn(thread, static_cast<std::uint32_t>(w), full);
      good = is_full ? 0 : good + 1;
    }
    for (std::uint32_t w = 0; w < ways; ++w) {
      Block& lane = thread.lanes[w];
      if (lane.capacity - lane.size < kChunk)
        grow(thread, lane, std::min(capacity_, std::max(2 * kChunk, 2 * lane.capacity)));
      if (lane.size == 0) open(thread, w, epoch, 0);
      at[w] = reinterpret_cast<std::byte*>(records_of(lane) + lane.size);
      limit[w] = reinterpret_cast<std::byte*>(records_of(lane) + lane.capacity + 1);
      target_at[w] = reinterpret_cast<std::byte*>(targets_of(lane) + lane.size);
      target_limit[w] = reinterpret_cast<std::byte*>(targets_of(lane) + lane.capacity + 1);
    }
    const auto buckets = static_cast<Rank>(ways);
    const std::size_t dealt = deal_records_(way, records + done, some, buckets, at, limit);
    deal_targets_(way, to + done, dealt, buckets, target_at, target_limit);
    for (std::uint32_t w = 0; w < ways; ++w) {
      Block& lane = thread.lanes[w];
      lane.size = static_cast<std::size_t>(reinterpret_cast<R*>(at[w]) - records_of(lane));
    }
    done += dealt;
    if (dealt == 0) break;
  }
  for (; done < n; ++done)
    append(thread, table[static_cast<std::size_t>(to[done])], epoch, to[done], records[done], full);
}

// The lane is full: sends it on, after merging if that does not make room enough.
template <class R, class M>
void RelayLanes<R, M>::turn(Thread& thread, std::uint32_t way, Full full) {
  Block& lane = thread.lanes[way];
  if constexpr (kMerges<M>) {
    merge_lane(thread, lane);
    if (lane.size <= capacity_ / 2) return;
  }
  send_on(thread, way);
  if (!lane.memory) grow(thread, lane, capacity_);  // it fills as fast as the one before
  if (full == Full::never_waits) return;
  world_.progress();  // keeps pace with what the peers send here
  onward_.make_room(way);
  if (world_.plan().buffers == "single") onward_.settle(way);
}

// Into slots, or to those blocks that wait for some. The lane is empty meanwhile: a handler that gets records of this very
// rank may append to it.
template <class R, class M>
void RelayLanes<R, M>::send_on(Thread& thread, std::uint32_t way) {
  Block block = std::exchange(thread.lanes[way], {});
  block.sent = 0;
  thread.gone[way] += block.size;
  if (!onward_.send(block)) {
    thread.lane_bytes -= block.bytes();
    onward_.keep(std::move(block));
  } else if (Block& lane = thread.lanes[way]; !lane.memory) {
    block.size = 0;
    lane = std::move(block);
  } else {
    thread.lane_bytes -= block.bytes();
    world_.note_memory(-static_cast<std::ptrdiff_t>(block.bytes()));
  }
}

template <class R, class M>
void RelayLanes<R, M>::send_largest(Thread& thread) {
  const auto largest = std::max_element(thread.lanes.begin(), thread.lanes.end(),
                                        [](const Block& a, const Block& b) { return a.size < b.size; });
  if (largest->size == 0) return;
  const auto way = static_cast<std::uint32_t>(largest - thread.lanes.begin());
  merge_lane(thread, *largest);
  send_on(thread, way);
  if (!largest->memory || largest->size > 0) return;
  // It went at once: its memory is what others need.
  thread.lane_bytes -= largest->bytes();
  world_.note_memory(-static_cast<std::ptrdiff_t>(largest->bytes()));
  *largest = {};
}

template <class R, class M>
void RelayLanes<R, M>::flush(int round) {
  for (Thread& t : threads_)
    for (std::uint32_t w = 0; w < t.lanes.size(); ++w) {
      if (t.lanes[w].size == 0 || hops_.ways()[w].round > round) continue;
      merge_lane(t, t.lanes[w]);
      send_on(t, w);
    }
}

template <class R, class M>
void RelayLanes<R, M>::close(int round, std::uint32_t epoch) {
  for (std::uint32_t w = 0; w < hops_.ways().size(); ++w) {
    const Hops::Way& way = hops_.ways()[w];
    if (way.round != round) continue;
    std::uint64_t gone = 0;
    Thread* last = &threads_[0];
    for (Thread& t : threads_) {
      if (t.lanes[w].size > 0) merge_lane(t, t.lanes[w]);
      gone += t.gone[w] + t.lanes[w].size;
      if (t.lanes[w].size == 0) continue;
      if (last->lanes[w].size > 0 && last != &t) send_on(*last, w);
      last = &t;
    }
    Block& lane = last->lanes[w];
    if (way.next != world_.rank()) lane.closes = 1 + gone;
    lane.way = w;
    lane.epoch = epoch;
    if (lane.size > 0 || lane.closes > 0) send_on(*last, w);
  }
}

template <class R, class M>
void RelayLanes<R, M>::merge_lane(Thread& thread, Block& block) {
  if constexpr (kMerges<M>) {
    if (!combines_) return;
    const std::size_t kept = merge_equal(merge_, records_of(block), targets_of(block), block.size, thread.seen);
    auto& level =
        world_.thread_state().counters.levels[static_cast<std::size_t>(world_.level_to(hops_.ways()[block.way].next))];
    level.merged_bytes += (block.size - kept) * (sizeof(R) + sizeof(Rank));
    thread.merged += block.size - kept;
    block.size = kept;
  }
}

}  // namespace atl
