// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/bucket.hpp>
#include <atoll/runtime/world.hpp>
#include <bit>
#include <map>
#include <tuple>
#include <type_traits>

/// Carries a mailbox's records over routes of several hops, where those with a common next hop travel together.
///
/// Between hops records lie in *lanes*, one for each next rank and phase: two columns, the records and their targets,
/// which travel one after the other. A full lane is sent at once and another block becomes active; what is not full waits
/// for its round (Route::round_of), so that a monitor sends on what its whole domain gave it, in one message.
/// Where a record type names a merge, a lane is merged before it is sent, and sent only if it is still full.
///
/// Whoever forwards does not wait: what finds no slot lies in a heap block until this rank sends or drains. Producers wait
/// for slots, so they grow by a lane's block at most.
namespace atl {

/// No two records can be merged.
struct NoMerge {};

/// Two records to one target with equal keys become one: `key(record)` is an integer, `merge(into, record)` unites.
template <class Key, class Unite>
struct Merge {
  Key key;
  Unite unite;
};

template <class R, class M>
class Relay {
 public:
  /// Gets records at their target, with the epoch in which they were sent. May run inside any progress().
  using Arrive = void (*)(void* box, std::uint32_t epoch, std::span<const R> records);

  /// Collective by order, like a declaration.
  Relay(World& world, M merge, Arrive arrive, void* box);
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
    if (lane.size - 1 >= capacity_ - 1) [[unlikely]]
      return append(thread, way, epoch, to, record, world_.thread_state().handlers == 0);
    records_of(lane)[lane.size] = record;
    targets_of(lane)[lane.size++] = to;
  }
  void send_many(std::uint32_t epoch, std::span<const Rank> to, std::span<const R> records);

  /// Collective; outside team regions and handlers: passes on what all threads hold, hop by hop. What is gathered goes on
  /// once a round, not with each arrival: few long messages. The ranks of the domain inside which a round's hops stay wait
  /// for each other; what comes later than that goes on in a later round.
  void in_step() {
    for (int round = 0; round < route_.rounds(); ++round) {
      flush(round);
      if (round + 1 < route_.rounds()) world_.barrier_within(route_.level_of(round));
    }
  }
  /// Passes on all that is there, in no step with anyone.
  void flush() {
    while (world_.progress()) {
    }
    flush(route_.rounds());
  }
  /// Records that have become part of others since the beginning: they will not arrive.
  std::uint64_t merged() const {
    std::uint64_t sum = 0;
    for (const Thread& t : threads_) sum += t.merged;
    return sum;
  }

 private:
  using Phase = Route::Phase;
  static constexpr std::size_t kChunk = 256;  // records that are dealt out together
  static constexpr std::size_t kSpareBytes = kBucketSlack + 64;

  struct Way {  // what lanes of one number have in common, on every thread
    Rank next;
    Phase arrival;
    int round;
  };
  struct Block {
    std::uint32_t way = 0;
    std::uint32_t epoch = 0;
    std::size_t size = 0, sent = 0;
    std::unique_ptr<std::byte[]> memory;
  };

 public:
  struct alignas(128) Thread {
    std::vector<Block> lanes;    // [way]
    std::vector<Block> waiting;  // found no slot
    std::vector<std::unique_ptr<std::byte[]>> spare;
    std::vector<std::uint32_t> seen;  // of merge_lane
    std::uint64_t merged = 0;
  };

 private:
  std::uint32_t way_to(Phase phase, Rank to) const {
    return way_to_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(to)];
  }
  R* records_of(const Block& b) const { return reinterpret_cast<R*>(b.memory.get()); }
  Rank* targets_of(const Block& b) const { return reinterpret_cast<Rank*>(b.memory.get() + targets_at_); }
  std::size_t block_bytes() const { return targets_at_ + capacity_ * sizeof(Rank) + kSpareBytes; }

  void open(Thread& thread, std::uint32_t way, std::uint32_t epoch);
  void append(Thread& thread, std::uint32_t way, std::uint32_t epoch, Rank to, const R& record, bool may_wait);
  void deal_out(Thread& thread, Phase phase, std::uint32_t epoch, const Rank* to, const R* records, std::size_t n,
                bool may_wait);
  void turn(Thread& thread, std::uint32_t way, bool may_wait);
  bool try_send(Thread& thread, Block& block);
  void publish(const Slot& slot, const Block& block, std::size_t n);
  void work_off(Thread& thread);
  void merge_lane(Thread& thread, Block& block);
  void deliver(Phase phase, std::uint32_t epoch, const std::byte* data, std::size_t bytes);
  void flush(int round);
  template <Phase phase>
  static void deliver_as(void* self, Rank, std::uint32_t epoch, const std::byte* data, std::size_t bytes) {
    static_cast<Relay*>(self)->deliver(phase, epoch, data, bytes);
  }

  World& world_;
  const Route& route_;
  [[no_unique_address]] M merge_;
  const Arrive arrive_;
  void* const box_;
  const std::size_t piece_;       // records of a slot
  const std::size_t capacity_;    // of a lane: more, where records may merge that lie in one
  const std::size_t targets_at_;  // where a block's second column begins
  std::vector<Way> ways_;
  std::vector<std::uint32_t> way_to_[2];  // [phase][rank]
  BucketKernel deal_records_ = nullptr, deal_targets_ = nullptr;
  std::vector<Thread> threads_;
  std::uint32_t channels_[2];  // [phase of arrival]
};

// ---------------------------------------------------------------------------------------------------------------------

template <class R, class M>
Relay<R, M>::Relay(World& world, M merge, Arrive arrive, void* box)
    : world_(world),
      route_(world.route()),
      merge_(std::move(merge)),
      arrive_(arrive),
      box_(box),
      piece_(world.payload_bytes() / (sizeof(R) + sizeof(Rank))),
      capacity_(std::is_same_v<M, NoMerge> ? piece_
                                           : std::max(piece_, world.plan().lane_bytes / (sizeof(R) + sizeof(Rank)))),
      targets_at_((capacity_ * sizeof(R) + kSpareBytes + 63) / 64 * 64),
      threads_(static_cast<std::size_t>(world.thread_slots())) {
  check(piece_ > 0, "slot_bytes is {} (records of {} bytes and their targets do not fit). Raise it in the plan.",
        world.plan().slot_bytes, sizeof(R));
  std::map<std::tuple<Rank, Phase, Phase>, std::uint32_t> known;
  for (const Phase phase : {Phase::up, Phase::down}) {
    auto& table = way_to_[static_cast<std::size_t>(phase)];
    for (Rank to = 0; to < world.size(); ++to) {
      const Route::Hop hop = route_.next(world.rank(), to, phase);
      const auto [it, is_new] =
          known.try_emplace({hop.rank, phase, hop.phase}, static_cast<std::uint32_t>(ways_.size()));
      if (is_new) ways_.push_back({hop.rank, hop.phase, route_.round_of(phase, world.level_to(hop.rank))});
      table.push_back(it->second);
    }
  }
  for (Thread& t : threads_) t.lanes.resize(ways_.size());
  if (constexpr std::size_t n = sizeof(R); (n == 4 || n == 8 || n == 16) && capacity_ >= 4 * kChunk) {
    deal_records_ = bucket_kernel(n, static_cast<Rank>(ways_.size()));
    deal_targets_ = bucket_kernel(sizeof(Rank), static_cast<Rank>(ways_.size()));
  }
  channels_[static_cast<int>(Phase::up)] = world.open_channel(&Relay::deliver_as<Phase::up>, this);
  channels_[static_cast<int>(Phase::down)] = world.open_channel(&Relay::deliver_as<Phase::down>, this);
}

template <class R, class M>
Relay<R, M>::~Relay() {
  for (const std::uint32_t c : channels_) world_.close_channel(c);
  std::size_t blocks = 0;
  for (const Thread& t : threads_) {
    blocks += t.waiting.size() + t.spare.size();
    for (const Block& b : t.lanes) blocks += b.memory ? 1 : 0;
  }
  world_.note_memory(-static_cast<std::ptrdiff_t>(blocks * block_bytes()));
}

template <class R, class M>
void Relay<R, M>::open(Thread& thread, std::uint32_t way, std::uint32_t epoch) {
  Block& lane = thread.lanes[way];
  if (!lane.memory) {
    if (!thread.spare.empty()) {
      lane.memory = std::move(thread.spare.back());
      thread.spare.pop_back();
    } else {
      lane.memory.reset(new std::byte[block_bytes()]);
      world_.note_memory(static_cast<std::ptrdiff_t>(block_bytes()));
    }
  }
  // Only records of one epoch are on their way: the one before has ended everywhere.
  ATOLL_ASSERT(lane.size == 0 || lane.epoch == epoch);
  lane.way = way;
  lane.epoch = epoch;
}

template <class R, class M>
void Relay<R, M>::append(Thread& thread, std::uint32_t way, std::uint32_t epoch, Rank to, const R& record,
                         bool may_wait) {
  while (thread.lanes[way].size == capacity_) turn(thread, way, may_wait);
  if (thread.lanes[way].size == 0) open(thread, way, epoch);
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
  const std::uint32_t* table = way_to_[static_cast<std::size_t>(phase)].data();
  std::size_t done = 0;
  while (deal_records_ && n - done >= kBucketStep) {
    const std::size_t some = std::min(n - done, kChunk);
    Rank way[kChunk];
    for (std::size_t i = 0; i < some; ++i) way[i] = static_cast<Rank>(table[static_cast<std::size_t>(to[done + i])]);
    std::byte *at[kMaxBuckets], *limit[kMaxBuckets], *target_at[kMaxBuckets], *target_limit[kMaxBuckets];
    // Handlers that run while one lane is turned may append to another: look at all until none had to be turned.
    for (std::size_t w = 0, good = 0; good < ways_.size(); w = (w + 1) % ways_.size()) {
      const bool full = capacity_ - thread.lanes[w].size < kChunk;
      if (full) turn(thread, static_cast<std::uint32_t>(w), may_wait);
      good = full ? 0 : good + 1;
    }
    for (std::uint32_t w = 0; w < ways_.size(); ++w) {
      if (thread.lanes[w].size == 0) open(thread, w, epoch);
      Block& lane = thread.lanes[w];
      at[w] = reinterpret_cast<std::byte*>(records_of(lane) + lane.size);
      limit[w] = reinterpret_cast<std::byte*>(records_of(lane) + capacity_ + 1);
      target_at[w] = reinterpret_cast<std::byte*>(targets_of(lane) + lane.size);
      target_limit[w] = reinterpret_cast<std::byte*>(targets_of(lane) + capacity_ + 1);
    }
    const auto ways = static_cast<Rank>(ways_.size());
    const std::size_t dealt = deal_records_(way, records + done, some, ways, at, limit);
    deal_targets_(way, to + done, dealt, ways, target_at, target_limit);
    for (std::uint32_t w = 0; w < ways_.size(); ++w) {
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
  if constexpr (!std::is_same_v<M, NoMerge>) {
    merge_lane(thread, lane);
    if (lane.size <= capacity_ / 2) return;
  }
  Block block = std::exchange(lane, {});
  if (!try_send(thread, block)) thread.waiting.push_back(std::move(block));
  if (!may_wait) return;
  world_.progress();  // keeps pace with what the peers send here
  if (!thread.waiting.empty()) work_off(thread);
}

// Without waiting. To the own rank: only outside handlers, which are not called from within each other.
template <class R, class M>
bool Relay<R, M>::try_send(Thread& thread, Block& block) {
  const Way& way = ways_[block.way];
  if (way.next == world_.rank()) {
    if (world_.thread_state().handlers > 0) return false;
    arrive_(box_, block.epoch, {records_of(block), block.size});
  } else {
    while (block.sent < block.size) {
      Slot slot;
      if (world_.acquire(way.next, slot) != Busy::no) return false;
      const std::size_t n = std::min(piece_, block.size - block.sent);
      publish(slot, block, n);
      block.sent += n;
    }
  }
  thread.spare.push_back(std::move(block.memory));
  return true;
}

template <class R, class M>
void Relay<R, M>::publish(const Slot& slot, const Block& block, std::size_t n) {
  const Way& way = ways_[block.way];
  const std::size_t bytes = n * sizeof(R);
  const auto* from = reinterpret_cast<const std::byte*>(records_of(block) + block.sent);
  if (world_.all_near()) {
    stream_copy(slot.data, from, bytes);
  } else {
    std::memcpy(slot.data, from, bytes);
  }
  std::memcpy(slot.data + bytes, targets_of(block) + block.sent, n * sizeof(Rank));
  world_.publish(channels_[static_cast<int>(way.arrival)], slot, bytes + n * sizeof(Rank), World::Hold::briefly,
                 block.epoch);
}

// Passes on the blocks that wait. What arrives meanwhile may add more; each pass takes those that were there, so that two
// ranks cannot keep each other busy for ever.
template <class R, class M>
void Relay<R, M>::work_off(Thread& thread) {
  std::vector<Block> blocks = std::exchange(thread.waiting, {});
  for (Block& b : blocks) world_.wait_until("send: a slot to the next hop", [&] { return try_send(thread, b); });
}

template <class R, class M>
void Relay<R, M>::flush(int round) {
  for (Thread& t : threads_) {
    for (std::uint32_t w = 0; w < ways_.size(); ++w) {
      if (t.lanes[w].size == 0 || ways_[w].round > round) continue;
      if constexpr (!std::is_same_v<M, NoMerge>) merge_lane(t, t.lanes[w]);
      t.waiting.push_back(std::exchange(t.lanes[w], {}));
    }
    while (!t.waiting.empty()) work_off(t);
  }
}

// Records of equal target and key become the first of them; the order of the rest stays.
template <class R, class M>
void Relay<R, M>::merge_lane(Thread& thread, Block& block) {
  if constexpr (!std::is_same_v<M, NoMerge>) {
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
        world_.thread_state().counters.levels[static_cast<std::size_t>(world_.level_to(ways_[block.way].next))];
    level.merged_bytes += (block.size - kept) * (sizeof(R) + sizeof(Rank));
    thread.merged += block.size - kept;
    block.size = kept;
  }
}

template <class R, class M>
void Relay<R, M>::deliver(Phase phase, std::uint32_t epoch, const std::byte* data, std::size_t bytes) {
  const std::size_t n = bytes / (sizeof(R) + sizeof(Rank));
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
      arrive_(box_, epoch, {records + first, some});
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
      arrive_(box_, epoch, {at_end, end});
      deal_out(thread, phase, epoch, rest_to, on_rest, rest, false);
    }
  }
}

}  // namespace atl
