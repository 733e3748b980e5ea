// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/bucket.hpp>
#include <atoll/runtime/onward.hpp>
#include <atoll/runtime/world.hpp>
#include <bit>
#include <cstring>
#include <type_traits>

/// Carries a mailbox's records over routes of several hops, where those with a common next hop travel together.
///
/// Between hops records lie in *lanes*, one for each next rank and phase: two columns, the records and their targets,
/// which travel one after the other. A full lane is copied into slots at once and filled again; what is not full waits
/// for its round (Route::round_of), so that a monitor sends on what its whole domain gave it, in one message.
/// Where a record type names a merge, a lane is merged before it is sent, and sent only if it is still full.
///
/// Where the slots to the next hop are taken, a lane's block waits (Onward) and the lane goes on in another. So a producer
/// runs ahead of its links by as much as the plan's buffers say: dynamic, up to the budget; switched, by the one block that
/// it fills while another waits; single, not at all. Whoever forwards never waits. When the lanes themselves hold half of
/// the budget, the largest is sent first.
namespace atl {

/// No two records can be merged.
struct NoMerge {};

/// Two records to one target with equal keys become one: `key(record)` is an integer, `merge(into, record)` unites.
template <class Key, class Unite>
struct Merge {
  Key key;
  Unite unite;
};

/// A record that comes to its target may stand for several: copies(record, f) calls f(rank, copy) for each of them, to the
/// target or other ranks of its own domain, and says false where the record is only itself. On routes that gather
/// (Route::gathers), for a record from another domain whose target is where such records land: the copies go on in the
/// rounds that follow, so one record crosses the wall for many.
template <class Copies>
struct Multicast {
  Copies copies;
};

template <class R, class M>
class Relay {
 public:
  /// Gets records at their target, with the epoch in which they were sent. May run inside any progress().
  using Arrive = void (*)(void* box, std::uint32_t epoch, std::span<const R> records);

  /// Collective by order, like a declaration.
  Relay(World& world, const Hops& hops, M merge, Arrive arrive, void* box, std::uint32_t epoch);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  struct Thread;
  /// Those of a thread of the team.
  Thread& lanes(std::size_t thread) { return threads_[thread]; }
  /// Appends; outside handlers it may wait for a slot.
  void send(Thread& thread, std::uint32_t epoch, Rank to, const R& record) {
    const std::uint32_t way = way_to(Phase::up, to);
    Block& lane = thread.lanes[way];
    // One compare for both ends: an empty lane has to be opened, a full one turned.
    if (lane.size - 1 >= lane.capacity - 1) [[unlikely]]
      return append(thread, way, epoch, to, record, world_.thread_state().handlers == 0);
    records_of(lane)[lane.size] = record;
    targets_of(lane)[lane.size++] = to;
  }
  void send_many(std::uint32_t epoch, std::span<const Rank> to, std::span<const R> records);

  /// Collective; outside team regions and handlers: passes on what all threads hold, hop by hop. What is gathered goes on
  /// once a round, not with each arrival: few long messages. The ranks of the domain inside which a round's hops stay wait
  /// for each other; what comes later than that goes on in a later round.
  void in_step() {
    for (int round = 0; round < hops_.rounds(); ++round) {
      flush(round);
      if (round + 1 < hops_.rounds()) world_.barrier_within(hops_.route().level_of(round));
    }
  }
  /// The same where ways are few (Hops::closes_ways) and handlers do not send: the last packet on a way says how many
  /// records went there, so that each rank goes on when its own ways in are complete, and all have arrived at the end
  /// without a vote.
  void close_ways();
  /// The epoch has ended on this rank: packets of the next one, of ranks that are ahead, are passed on from here on.
  void end_epoch();
  const Hops& hops() const { return hops_; }
  /// Passes on all that is there, in no step with anyone.
  void flush() {
    while (world_.progress()) {
    }
    flush(hops_.rounds() - 1);
  }
  /// Bytes that the mailbox keeps back for the next epoch (less, if negative): too many, and the ranks before this one stop.
  void note_held(std::ptrdiff_t bytes) { onward_.note_held(bytes); }
  /// Records that have become part of others since the beginning: they will not arrive.
  std::uint64_t merged() const {
    std::uint64_t sum = 0;
    for (const Thread& t : threads_) sum += t.merged;
    return sum;
  }

 private:
  using Phase = Route::Phase;
  using Block = Onward::Block;
  static constexpr bool kMerges = requires(M m) { m.unite; };
  static constexpr bool kMulticasts = requires(M m) { m.copies; };
  static constexpr std::size_t kChunk = 256;      // records that are dealt out together
  static constexpr std::size_t kFirstBlock = 16;  // records of a lane's first block; it doubles while they come
  static constexpr std::size_t kSpareBytes = kBucketSlack + 64;

  // The end of a channel: packets that come in one round, to go on in one phase.
  struct Port {
    Relay* relay;
    int round;
    Phase arrival;
    static void deliver(void* self, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes) {
      const Port& port = *static_cast<Port*>(self);
      port.relay->deliver(port, from, stamp, data, bytes);
    }
  };
  // What has come in a round of this epoch, on all ways together.
  struct alignas(64) Arrivals {
    std::atomic<int> closed{0};                          // ways
    std::atomic<std::uint64_t> promised{0}, records{0};  // of those; and seen
  };
  struct Held {
    const Port* port;
    Rank from;
    std::uint32_t stamp;
    std::vector<std::byte> data;
  };

 public:
  struct alignas(128) Thread {
    std::vector<Block> lanes;         // [way]
    std::vector<std::uint64_t> gone;  // [way] records of this epoch, merged ones left out
    std::size_t lane_bytes = 0;       // of them
    std::vector<std::uint32_t> seen;  // of merge_lane
    std::uint64_t merged = 0;
  };

 private:
  std::uint32_t way_to(Phase phase, Rank to) const { return hops_.way_to(phase, to); }
  static R* records_of(const Block& b) { return reinterpret_cast<R*>(b.memory.get()); }
  static Rank* targets_of(const Block& b) { return reinterpret_cast<Rank*>(b.memory.get() + b.targets_at); }

  static std::vector<Port> make_ports(Relay* relay, int rounds);
  static std::vector<std::uint32_t> open_channels(World& world, std::vector<Port>& ports);
  static void arrive_block(void* self, const Block& block) {
    auto& relay = *static_cast<Relay*>(self);
    relay.arrive_(relay.box_, block.epoch, {records_of(block) + block.sent, block.size - block.sent});
  }
  void grow(Thread& thread, Block& lane, std::size_t capacity);
  void open(Thread& thread, std::uint32_t way, std::uint32_t epoch, std::size_t capacity);
  void append(Thread& thread, std::uint32_t way, std::uint32_t epoch, Rank to, const R& record, bool may_wait);
  void deal_out(Thread& thread, Phase phase, std::uint32_t epoch, const Rank* to, const R* records, std::size_t n,
                bool may_wait);
  void turn(Thread& thread, std::uint32_t way, bool may_wait);
  void send_on(Thread& thread, std::uint32_t way);
  void send_largest(Thread& thread);
  void merge_lane(Thread& thread, Block& block);
  void deliver(const Port& port, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes);
  void pass_on(Phase phase, std::uint32_t epoch, const std::byte* data, std::size_t n);
  void arrive(Thread& thread, Phase phase, std::uint32_t epoch, std::span<const R> records);
  void flush(int round);
  void close(int round);
  bool is_complete(int round) const;

  World& world_;
  const Hops& hops_;
  [[no_unique_address]] M merge_;
  const Arrive arrive_;
  void* const box_;
  std::vector<Port> ports_;  // [2 * round + arrival]
  std::vector<std::uint32_t> channels_;
  Onward onward_;
  const bool combines_;         // records of equal target and key; not if lane_bytes is 0
  const std::size_t capacity_;  // of a lane: more than a slot's, where records may merge that lie in one
  BucketKernel deal_records_ = nullptr, deal_targets_ = nullptr;
  std::vector<Thread> threads_;
  std::atomic<std::uint32_t> epoch_;
  std::vector<Arrivals> arrivals_;  // [round]
  SpinLock held_lock_;
  std::vector<Held> held_;  // packets of the next epoch
};

// ---------------------------------------------------------------------------------------------------------------------

template <class R, class M>
auto Relay<R, M>::make_ports(Relay* relay, int rounds) -> std::vector<Port> {
  std::vector<Port> ports;
  for (int round = 0; round < rounds; ++round)
    for (const Phase arrival : {Phase::up, Phase::down}) ports.push_back({relay, round, arrival});
  return ports;
}

template <class R, class M>
std::vector<std::uint32_t> Relay<R, M>::open_channels(World& world, std::vector<Port>& ports) {
  std::vector<std::uint32_t> channels;
  for (Port& p : ports) channels.push_back(world.open_channel(&Port::deliver, &p));
  return channels;
}

template <class R, class M>
Relay<R, M>::Relay(World& world, const Hops& hops, M merge, Arrive arrive, void* box, std::uint32_t epoch)
    : world_(world),
      hops_(hops),
      merge_(std::move(merge)),
      arrive_(arrive),
      box_(box),
      ports_(make_ports(this, hops_.rounds())),
      channels_(open_channels(world, ports_)),
      onward_(world, hops_, sizeof(R), channels_, &Relay::arrive_block, this),
      combines_(kMerges && world.plan().lane_bytes > 0),
      capacity_(!combines_ ? onward_.piece()
                           : std::max(onward_.piece(), world.plan().lane_bytes / (sizeof(R) + sizeof(Rank)))),
      threads_(static_cast<std::size_t>(world.thread_slots())),
      epoch_(epoch),
      arrivals_(static_cast<std::size_t>(hops_.rounds())) {
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

template <class R, class M>
Relay<R, M>::~Relay() {
  for (const std::uint32_t c : channels_) world_.close_channel(c);
  std::size_t bytes = 0;
  for (const Thread& t : threads_) bytes += t.lane_bytes;
  for (const Held& h : held_) bytes += h.data.size();
  world_.note_memory(-static_cast<std::ptrdiff_t>(bytes));
}

// Room for so many records; what is there stays.
template <class R, class M>
void Relay<R, M>::grow(Thread& thread, Block& lane, std::size_t capacity) {
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
void Relay<R, M>::open(Thread& thread, std::uint32_t way, std::uint32_t epoch, std::size_t capacity) {
  Block& lane = thread.lanes[way];
  if (lane.capacity < capacity) grow(thread, lane, capacity);
  // Only records of one epoch are on their way: the one before has ended everywhere.
  ATOLL_ASSERT(lane.size == 0 || lane.epoch == epoch);
  lane.way = way;
  lane.epoch = epoch;
}

template <class R, class M>
void Relay<R, M>::append(Thread& thread, std::uint32_t way, std::uint32_t epoch, Rank to, const R& record,
                         bool may_wait) {
  while (thread.lanes[way].size == thread.lanes[way].capacity) {
    Block& lane = thread.lanes[way];
    if (lane.capacity == capacity_) {
      turn(thread, way, may_wait);
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
void Relay<R, M>::send_many(std::uint32_t epoch, std::span<const Rank> to, std::span<const R> records) {
  deal_out(lanes(static_cast<std::size_t>(Team::this_thread())), Phase::up, epoch, to.data(), records.data(),
           records.size(), world_.thread_state().handlers == 0);
}

template <class R, class M>
void Relay<R, M>::deal_out(Thread& thread, Phase phase, std::uint32_t epoch, const Rank* to, const R* records,
                           std::size_t n, bool may_wait) {
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
      const bool full = capacity_ - thread.lanes[w].size < kChunk;
      if (full) turn(thread, static_cast<std::uint32_t>(w), may_wait);
      good = full ? 0 : good + 1;
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
    append(thread, table[static_cast<std::size_t>(to[done])], epoch, to[done], records[done], may_wait);
}

// The lane is full: sends it on, after merging if that does not make room enough.
template <class R, class M>
void Relay<R, M>::turn(Thread& thread, std::uint32_t way, bool may_wait) {
  Block& lane = thread.lanes[way];
  if constexpr (kMerges) {
    merge_lane(thread, lane);
    if (lane.size <= capacity_ / 2) return;
  }
  send_on(thread, way);
  if (!lane.memory) grow(thread, lane, capacity_);  // it fills as fast as the one before
  if (!may_wait) return;
  world_.progress();  // keeps pace with what the peers send here
  onward_.make_room(way);
  if (world_.plan().buffers == "single") onward_.settle(way);
}

// Into slots, or to those blocks that wait for some. The lane is empty meanwhile: a handler that gets records of this very
// rank may append to it.
template <class R, class M>
void Relay<R, M>::send_on(Thread& thread, std::uint32_t way) {
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
void Relay<R, M>::send_largest(Thread& thread) {
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
void Relay<R, M>::flush(int round) {
  for (Thread& t : threads_)
    for (std::uint32_t w = 0; w < t.lanes.size(); ++w) {
      if (t.lanes[w].size == 0 || hops_.ways()[w].round > round) continue;
      merge_lane(t, t.lanes[w]);
      send_on(t, w);
    }
  onward_.clear(round);
}

template <class R, class M>
void Relay<R, M>::close_ways() {
  for (int round = 0; round < hops_.rounds(); ++round) {
    close(round);
    world_.wait_until("drain: records of other ranks", [&] { return is_complete(round); });
  }
  onward_.clear(hops_.rounds() - 1);
  for (Arrivals& a : arrivals_) {
    a.closed.store(0, std::memory_order_relaxed);
    a.promised.store(0, std::memory_order_relaxed);
    a.records.store(0, std::memory_order_relaxed);
  }
  for (Thread& t : threads_) std::fill(t.gone.begin(), t.gone.end(), 0);
}

// Sends what is left on the ways of a round; the last block of each, which may be empty, closes it.
template <class R, class M>
void Relay<R, M>::close(int round) {
  const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed);
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
bool Relay<R, M>::is_complete(int round) const {
  const Arrivals& a = arrivals_[static_cast<std::size_t>(round)];
  return a.closed.load(std::memory_order_acquire) == hops_.arriving(round) &&
         a.records.load(std::memory_order_acquire) == a.promised.load(std::memory_order_acquire);
}

template <class R, class M>
void Relay<R, M>::end_epoch() {
  std::vector<Held> due;
  {
    std::lock_guard hold(held_lock_);
    epoch_.fetch_add(1, std::memory_order_release);
    due.swap(held_);
  }
  for (const Held& h : due) {
    onward_.note_held(-static_cast<std::ptrdiff_t>(h.data.size()));
    world_.note_memory(-static_cast<std::ptrdiff_t>(h.data.size()));
    deliver(*h.port, h.from, h.stamp, h.data.data(), h.data.size());
  }
}

// Records of equal target and key become the first of them; the order of the rest stays.
template <class R, class M>
void Relay<R, M>::merge_lane(Thread& thread, Block& block) {
  if constexpr (kMerges) {
    if (!combines_) return;
    const std::size_t table = std::bit_ceil(2 * block.size + 2);
    thread.seen.assign(table, UINT32_MAX);
    R* records = records_of(block);
    Rank* targets = targets_of(block);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < block.size; ++i) {
      const auto key = static_cast<std::uint64_t>(merge_.key(records[i]));
      constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
      std::size_t place = ((key ^ static_cast<std::uint64_t>(targets[i]) << 40) * kMix >> 20) & (table - 1);
      for (;; place = (place + 1) & (table - 1)) {
        const std::uint32_t other = thread.seen[place];
        if (other == UINT32_MAX) {
          thread.seen[place] = static_cast<std::uint32_t>(kept);
          records[kept] = records[i];
          targets[kept++] = targets[i];
          break;
        }
        if (targets[other] == targets[i] && static_cast<std::uint64_t>(merge_.key(records[other])) == key) {
          merge_.unite(records[other], records[i]);
          break;
        }
      }
    }
    auto& level =
        world_.thread_state().counters.levels[static_cast<std::size_t>(world_.level_to(hops_.ways()[block.way].next))];
    level.merged_bytes += (block.size - kept) * (sizeof(R) + sizeof(Rank));
    thread.merged += block.size - kept;
    block.size = kept;
  }
}

template <class R, class M>
void Relay<R, M>::deliver(const Port& port, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes) {
  const std::uint32_t epoch = stamp & ~Onward::kCloses;
  if (epoch != epoch_.load(std::memory_order_acquire)) [[unlikely]] {
    // A rank that is ahead: lanes hold records of one epoch only.
    std::lock_guard hold(held_lock_);
    if (epoch != epoch_.load(std::memory_order_relaxed)) {
      held_.push_back({&port, from, stamp, std::vector<std::byte>(data, data + bytes)});
      onward_.note_held(static_cast<std::ptrdiff_t>(bytes));
      world_.note_memory(static_cast<std::ptrdiff_t>(bytes));
      onward_.mind(from, port.round, port.arrival);
      return;
    }
  }
  Arrivals& arrivals = arrivals_[static_cast<std::size_t>(port.round)];
  const bool closes = (stamp & Onward::kCloses) != 0;
  std::uint64_t promised = 0;
  if (closes) {
    bytes -= sizeof promised;
    std::memcpy(&promised, data + bytes, sizeof promised);
  }
  const std::size_t n = bytes / (sizeof(R) + sizeof(Rank));
  pass_on(port.arrival, epoch, data, n);
  onward_.mind(from, port.round, port.arrival);
  // Behind what was passed on: who sees these counts sees that too.
  arrivals.records.fetch_add(n, std::memory_order_release);
  if (closes) {
    arrivals.promised.fetch_add(promised, std::memory_order_release);
    arrivals.closed.fetch_add(1, std::memory_order_release);
  }
}

template <class R, class M>
void Relay<R, M>::pass_on(Phase phase, std::uint32_t epoch, const std::byte* data, std::size_t n) {
  const auto* records = reinterpret_cast<const R*>(data);
  const std::byte* targets = data + n * sizeof(R);
  Thread& thread = lanes(static_cast<std::size_t>(Team::this_thread()));
  const Rank me = world_.rank();
  Rank to[kChunk];
  for (std::size_t first = 0; first < n; first += kChunk) {
    const std::size_t some = std::min(kChunk, n - first);
    std::memcpy(to, targets + first * sizeof(Rank), some * sizeof(Rank));
    std::size_t here = 0;
    for (std::size_t i = 0; i < some; ++i) here += to[i] == me;
    if (here == some) {
      arrive(thread, phase, epoch, {records + first, some});
    } else if (here == 0) {
      deal_out(thread, phase, epoch, to, records + first, some, false);
    } else {
      R on_rest[kChunk], at_end[kChunk];
      Rank rest_to[kChunk];
      std::size_t rest = 0, end = 0;
      for (std::size_t i = 0; i < some; ++i) {
        on_rest[rest] = at_end[end] = records[first + i];
        rest_to[rest] = to[i];
        const bool ends = to[i] == me;
        end += ends;
        rest += !ends;
      }
      arrive(thread, phase, epoch, {at_end, end});
      deal_out(thread, phase, epoch, rest_to, on_rest, rest, false);
    }
  }
}

// Records whose target is this rank.
template <class R, class M>
void Relay<R, M>::arrive(Thread& thread, Phase phase, std::uint32_t epoch, std::span<const R> records) {
  if constexpr (!kMulticasts) {
    arrive_(box_, epoch, records);
  } else {
    R here[kChunk];
    std::size_t n = 0;
    const auto take = [&](const R& record) {
      here[n++] = record;
      if (n == kChunk) arrive_(box_, epoch, {here, std::exchange(n, 0)});
    };
    for (const R& record : records) {
      std::uint64_t copies = 0;
      const bool many = merge_.copies(record, [&](Rank to, const R& copy) {
        ++copies;
        if (to == world_.rank()) return take(copy);
        append(thread, way_to(phase, to), epoch, to, copy, false);
      });
      if (many) {
        thread.merged += 1 - copies;  // one was sent, so many arrive: sums are modulo 2^64
      } else {
        take(record);
      }
    }
    if (n > 0) arrive_(box_, epoch, {here, n});
  }
}

}  // namespace atl
