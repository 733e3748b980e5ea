// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/pieces.hpp>
#include <atoll/runtime/relay.hpp>
#include <concepts>
#include <mutex>
#include <optional>

/// Sends small records to the ranks that own them; those with a common next hop travel together.
///
///     Mailbox box(world, of_records<Visit>([&](const Visit& m) { visit(m.v, m.from); }));
///     box.send(owner(v), {v, u});     // cheap: appends to a buffer of the calling thread
///     box.drain();                    // collective: returns when none is left on any rank
///
/// The handler runs on the receiving rank, inside send() of a full buffer or inside drain(), maybe on several threads
/// at once (MailboxOptions: one at a time). It may send: such records are appended and never waited for. No order
/// is kept between records. Each arrives exactly once.
///
/// Epochs: drain() ends one. What a faster peer sends in the next epoch is held back here until this rank sends or drains
/// in it too, so a handler never meets a record of a round that its rank has not begun.
///
/// Where the plan's route has several hops (runtime/route.hpp) records go by a Relay, and a merge, if one is named, makes
/// one of several records to the same target on their way there:
///
///     Mailbox box(world, of_records<Label>(lower, Merge{[](const Label& l) { return l.v; },
///                                                       [](Label& a, const Label& b) { a.min = std::min(a.min, b.min); }}));
///
/// A handler that asks for the sending rank gets its records in one hop, and so do records longer than a slot.
///
/// Cost: send() is a store and a compare; a full buffer costs two virtual calls and one progress(). Memory: a slot of
/// the fabric for each (thread, rank) that has been sent to, and heap blocks only for what handlers send while the
/// fabric is busy.
///
/// Why nothing deadlocks: whoever waits for a slot makes progress meanwhile, so it frees its peers' slots; a handler
/// never waits, so progress always ends.
namespace atl {

/// Records travel as bytes; 16-byte alignment is what a packet's payload has.
template <class R>
concept Record = std::is_trivially_copyable_v<R> && alignof(R) <= 16;

/// The handler takes a record, a run of records (to prefetch), or a run with the rank that sent it.
template <class H, class R>
concept Handler = std::invocable<H&, const R&> || std::invocable<H&, std::span<const R>> ||
                  std::invocable<H&, Rank, std::span<const R>>;

enum class Handling { parallel, serial };

struct MailboxOptions {
  Handling handling = Handling::parallel;
  /// Whether the handler sends into this very mailbox. false saves drain() a round of counting.
  bool handler_sends = true;
};

/// Names the record type of a handler: Mailbox box(world, of_records<R>(handler)).
template <Record R, Handler<R> H, class M>
struct RecordsTo {
  H handler;
  [[no_unique_address]] M merge{};
};
template <Record R, class H, class M = NoMerge>
RecordsTo<R, std::decay_t<H>, M> of_records(H&& handler, M merge = {}) {
  return {std::forward<H>(handler), std::move(merge)};
}

template <Record R, Handler<R> H, class M = NoMerge>
class Mailbox {
 public:
  /// Collective by order, like a declaration.
  Mailbox(World& world, RecordsTo<R, H, M> to, MailboxOptions options = {})
      : world_(world),
        handler_(std::move(to.handler)),
        merge_(std::move(to.merge)),
        options_(options),
        ranks_(world.size()),
        capacity_(std::max<std::size_t>(1, world.payload_bytes() / sizeof(R))),
        fill_blocks_(world.all_near() || is_long(world)),
        threads_(static_cast<std::size_t>(world.thread_slots())) {
    if (is_long(world)) pieces_.emplace(world, sizeof(R), &Mailbox::deliver_whole, this);
    channel_ = world.open_channel(&Mailbox::deliver, this);
    if (!kMayRelay || pieces_ || world.route().is_direct() || world.chooses_routes())
      for (auto& t : threads_) t.lanes.resize(static_cast<std::size_t>(ranks_));
    if constexpr (kMayRelay) {
      if (pieces_) {
        // In one hop.
      } else if (world.chooses_routes()) {
        expect({.records = static_cast<double>(ranks_) * static_cast<double>(capacity_)});
      } else if (!world.route().is_direct()) {
        take_route(world.route().name());
      }
    }
  }
  /// Not collective. After drain() nothing is left to lose.
  ~Mailbox() {
    for (auto& t : threads_)
      for (Lane& lane : t.lanes) drop(lane);
    world_.close_channel(channel_);
    world_.note_memory(-static_cast<std::ptrdiff_t>(block_bytes_.load()));
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Appends; waits only while the buffer is full and the fabric busy. Any thread of the team.
  void send(Rank to, const R& record) { lanes().send(to, record); }

  /// The calling thread's lanes: ask once before a loop.
  class Lanes {
   public:
    void send(Rank to, const R& record) {
      if (box_.relays()) return box_.send_on(thread_, to, record);
      Lane& lane = thread_.lanes[static_cast<std::size_t>(to)];
      if (lane.at == lane.end) [[unlikely]]
        box_.turn(thread_, to);
      *lane.at++ = record;
    }
    /// The bulk form: records[i] goes to rank to[i]. Bucketed with vector instructions where the machine has them.
    void send_many(std::span<const Rank> to, std::span<const R> records) { box_.send_many(thread_, to, records); }
    /// Records that all go to one rank; to the own rank they are handled in place.
    void send_run(Rank to, std::span<const R> records) { box_.send_run(thread_, to, records); }

   private:
    friend class Mailbox;
    Lanes(Mailbox& box, typename Mailbox::Thread& thread) : box_(box), thread_(thread) {}
    Mailbox& box_;
    typename Mailbox::Thread& thread_;
  };
  Lanes lanes() { return Lanes(*this, threads_[static_cast<std::size_t>(Team::this_thread())]); }

  /// The route of several hops that records take now; null: one hop. For those who send what a Multicast multiplies.
  const Route* relay_route() const {
    if constexpr (kMayRelay)
      if (relay_) return &relay_->hops().route();
    return nullptr;
  }
  /// What the next exchange will be, the same on all ranks, between two drains: where the plan's route is auto, it takes
  /// the one that costs least for it, and so do those that follow. record_bytes is known here.
  void expect(Exchange exchange);
  /// The exchange that was expected is over: drained, and the ranks have agreed on what follows. Counts what came of the
  /// prediction.
  void note_outcome();

  /// Collective; outside team regions: every record sent before on any rank, and all that handlers sent since, has been
  /// handled when it returns. Throws TransportError, the same on every rank that is left.
  void drain();

 private:
  // Where a thread appends for one next hop: a slot of the fabric, or a block of our own (to the own rank, and for what
  // handlers send while the fabric is busy).
  struct Lane {
    R* at = nullptr;
    R* end = nullptr;
    R* first = nullptr;
    Slot slot;
  };
  struct Block {
    Rank to = -1;
    std::size_t records = 0;
    std::unique_ptr<std::byte[]> memory;
  };
  struct alignas(128) Thread {
    std::vector<Lane> lanes;     // [rank]
    std::vector<Block> waiting;  // full blocks that handlers left behind
    std::vector<std::unique_ptr<std::byte[]>> spare;
    std::uint64_t sent = 0;
    std::atomic<std::uint64_t> received{0};
    typename Relay<R, M>::Thread* relay_lanes = nullptr;
  };
  static constexpr bool kMayRelay = !std::invocable<H&, Rank, std::span<const R>>;
  static bool is_long(const World& world) {
    const bool with_target = kMayRelay && !world.route().is_direct();
    return world.payload_bytes() < sizeof(R) + (with_target ? sizeof(Rank) : 0);
  }
  bool relays() const { return kMayRelay && relay_ != nullptr; }
  void take_route(std::string_view name);
  std::uint64_t merged() const {
    std::uint64_t sum = 0;
    for (const auto& r : relays_) sum += r->merged();
    return sum;
  }
  static constexpr std::uint32_t kBlock = UINT32_MAX;  // ticket of a lane whose memory is a block

  std::size_t block_bytes() const { return capacity_ * sizeof(R) + kBucketSlack; }
  bool in_handler() const { return world_.thread_state().handlers > 0; }
  void turn(Thread& thread, Rank to);
  void hand_over(Thread& thread, Rank to);
  void fill(Thread& thread, Rank to);
  void give_block(Thread& thread, Rank to);
  void drop(Lane& lane);
  void work_off(Thread& thread);
  void flush();
  void vote();
  bool closes_ways() const { return relays() && relay_->hops().closes_ways() && !options_.handler_sends; }
  void send_many(Thread& thread, std::span<const Rank> to, std::span<const R> records);
  void send_run(Thread& thread, Rank to, std::span<const R> records);
  void send_on(Thread& thread, Rank to, const R& record);
  void handle(Rank from, std::span<const R> records);
  static void deliver(void* self, Rank from, std::uint32_t epoch, const std::byte* data, std::size_t bytes) {
    Mailbox& box = *static_cast<Mailbox*>(self);
    const std::span records(reinterpret_cast<const R*>(data), bytes / sizeof(R));
    box.take(from, epoch, records);
  }
  static void deliver_whole(void* self, Rank from, std::uint32_t epoch, const std::byte* record) {
    static_cast<Mailbox*>(self)->take(from, epoch, {reinterpret_cast<const R*>(record), 1});
  }
  static void arrive(void* self, std::uint32_t epoch, std::span<const R> records) {
    Mailbox& box = *static_cast<Mailbox*>(self);
    box.take(box.world_.rank(), epoch, records);  // the handler does not ask who sent them
  }
  void take(Rank from, std::uint32_t epoch, std::span<const R> records) {
    if (!begun_.load(std::memory_order_acquire) || epoch != epoch_) [[unlikely]] {
      if (hold_back(from, epoch, records)) return;
    }
    handle(from, records);
  }
  void note_held(std::ptrdiff_t bytes) {
    world_.note_memory(bytes);
    if constexpr (kMayRelay)
      for (const auto& r : relays_) r->note_held(bytes);
  }
  bool hold_back(Rank from, std::uint32_t epoch, std::span<const R> records);
  void begin();

  World& world_;
  H handler_;
  [[no_unique_address]] M merge_;
  const MailboxOptions options_;
  const Rank ranks_;
  const std::size_t capacity_;
  /// Slots in shared memory are lines that the receiver's core has just read: filling them record by record fetches each
  /// back (225 M records a second where cores are far apart). A block of our own stays in this core's cache and is
  /// copied past it.
  const bool fill_blocks_;
  std::optional<Pieces> pieces_;  // where a record is longer than a slot
  std::uint32_t channel_ = 0;
  std::vector<Thread> threads_;
  std::atomic<std::size_t> block_bytes_{0};
  SpinLock serial_;
  std::uint32_t epoch_ = 0;
  std::atomic<bool> begun_{false};  // this rank has sent or drained in the epoch
  struct Held {
    Rank from;
    std::uint32_t epoch;
    std::vector<R> records;
  };
  SpinLock held_lock_;
  std::vector<Held> held_;
  std::uint64_t noted_records_ = 0;                   // already in the World's counters
  std::vector<std::unique_ptr<Relay<R, M>>> relays_;  // one for each route of several hops that was taken
  Relay<R, M>* relay_ = nullptr;                      // of this epoch; null: records go in one hop
  double predicted_seconds_ = 0, began_at_ = 0;       // of this epoch, where routes are chosen
};

template <Record R, class H, class M>
Mailbox(World&, RecordsTo<R, H, M>) -> Mailbox<R, H, M>;
template <Record R, class H, class M>
Mailbox(World&, RecordsTo<R, H, M>, MailboxOptions) -> Mailbox<R, H, M>;

// ---------------------------------------------------------------------------------------------------------------------

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::handle(Rank from, std::span<const R> records) {
  // Undone also when the handler throws: else this rank's other threads would wait for the lock for ever.
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
  {
    const Inside inside(world_.thread_state().handlers, options_.handling == Handling::serial ? &serial_ : nullptr);
    if constexpr (std::invocable<H&, Rank, std::span<const R>>) {
      handler_(from, records);
    } else if constexpr (std::invocable<H&, std::span<const R>>) {
      handler_(records);
    } else {
      for (const R& r : records) handler_(r);
    }
  }
  threads_[static_cast<std::size_t>(Team::this_thread())].received.fetch_add(records.size(), std::memory_order_relaxed);
}

// Copies a packet of an epoch that this rank has not begun, so that its slot does not stay occupied: else a peer that is
// ahead could stop one that is behind. False if the epoch has begun just now.
template <Record R, Handler<R> H, class M>
bool Mailbox<R, H, M>::hold_back(Rank from, std::uint32_t epoch, std::span<const R> records) {
  std::lock_guard hold(held_lock_);
  if (begun_.load(std::memory_order_relaxed) && epoch == epoch_) return false;
  held_.push_back({from, epoch, std::vector<R>(records.begin(), records.end())});
  note_held(static_cast<std::ptrdiff_t>(records.size_bytes()));
  return true;
}

// This rank takes part in the epoch from here on. Not in handlers: what was held back is handled here.
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::begin() {
  if (begun_.load(std::memory_order_acquire)) return;
  std::vector<Held> due;
  {
    std::lock_guard hold(held_lock_);
    begun_.store(true, std::memory_order_release);
    std::erase_if(held_, [&](Held& h) {
      if (h.epoch != epoch_) return false;
      due.push_back(std::move(h));
      return true;
    });
  }
  for (const Held& h : due) {
    note_held(-static_cast<std::ptrdiff_t>(h.records.size() * sizeof(R)));
    handle(h.from, h.records);
  }
}

// The lane is full or has no memory yet: pass on what it has and give it fresh memory.
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::turn(Thread& thread, Rank to) {
  const bool full = thread.lanes[static_cast<std::size_t>(to)].first != nullptr;
  if (full) hand_over(thread, to);
  if (!in_handler()) {
    begin();
    if (full) world_.progress();  // keeps pace with what the peers send here
    if (!thread.waiting.empty()) work_off(thread);
    // A handler that ran just now may have appended to this very lane.
    Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
    if (lane.first && lane.at != lane.end) return;
    if (lane.first) hand_over(thread, to);
  }
  fill(thread, to);
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::hand_over(Thread& thread, Rank to) {
  Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
  const auto n = static_cast<std::size_t>(lane.at - lane.first);
  thread.sent += n;
  if (lane.slot.ticket == kBlock) {
    thread.waiting.push_back({to, n, std::unique_ptr<std::byte[]>(reinterpret_cast<std::byte*>(lane.first))});
  } else {
    world_.publish(channel_, lane.slot, n * sizeof(R), World::Hold::as_lane, epoch_);
  }
  lane = {};
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::give_block(Thread& thread, Rank to) {
  std::unique_ptr<std::byte[]> memory;
  if (!thread.spare.empty()) {
    memory = std::move(thread.spare.back());
    thread.spare.pop_back();
  } else {
    const std::size_t bytes = block_bytes();
    memory.reset(new std::byte[bytes]);
    block_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    world_.note_memory(static_cast<std::ptrdiff_t>(bytes));
  }
  Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
  lane.first = lane.at = reinterpret_cast<R*>(memory.release());
  lane.end = lane.first + capacity_;
  lane.slot = {};
  lane.slot.ticket = kBlock;
}

// Gives a lane without memory a slot, or a block where waiting for a slot is not allowed: in handlers, and when all
// slots that lanes may hold are taken.
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::fill(Thread& thread, Rank to) {
  if (to == world_.rank() || fill_blocks_) return give_block(thread, to);
  Slot slot;
  Busy busy = world_.acquire(to, slot, World::Hold::as_lane);
  if (busy != Busy::no && busy != Busy::reserved && !in_handler()) {
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
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::drop(Lane& lane) {
  if (!lane.first) return;
  if (lane.slot.ticket == kBlock) {
    delete[] reinterpret_cast<std::byte*>(lane.first);
    const std::size_t bytes = block_bytes();
    block_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    world_.note_memory(-static_cast<std::ptrdiff_t>(bytes));
  } else {
    world_.abandon(lane.slot, World::Hold::as_lane);
  }
  lane = {};
}

// Passes on the blocks that wait, outside handlers. Handlers that run meanwhile may add more; each pass takes the ones
// that were there, so that producers are pushed back but two ranks cannot keep each other busy for ever.
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::work_off(Thread& thread) {
  std::vector<Block> blocks = std::exchange(thread.waiting, {});
  for (Block& b : blocks) {
    if (b.to == world_.rank()) {
      handle(b.to, {reinterpret_cast<const R*>(b.memory.get()), b.records});
    } else if (pieces_) {
      pieces_->send(b.to, epoch_, b.memory.get());
    } else {
      Slot slot;
      world_.wait_until("send: a slot for what handlers sent", [&] { return world_.acquire(b.to, slot) == Busy::no; });
      stream_copy(slot.data, b.memory.get(), b.records * sizeof(R));
      world_.publish(channel_, slot, b.records * sizeof(R), World::Hold::briefly, epoch_);
    }
    thread.spare.push_back(std::move(b.memory));
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::send_run(Thread& thread, Rank to, std::span<const R> records) {
  if (to == world_.rank() && !in_handler()) {
    thread.sent += records.size();
    handle(to, records);
    return;
  }
  if (relays()) {
    for (const R& r : records) send_on(thread, to, r);
    return;
  }
  while (!records.empty()) {
    if (const Lane& lane = thread.lanes[static_cast<std::size_t>(to)]; lane.at == lane.end) turn(thread, to);
    Lane& lane = thread.lanes[static_cast<std::size_t>(to)];
    const std::size_t n = std::min(records.size(), static_cast<std::size_t>(lane.end - lane.at));
    std::memcpy(static_cast<void*>(lane.at), records.data(), n * sizeof(R));
    lane.at += n;
    records = records.subspan(n);
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::send_on(Thread& thread, Rank to, const R& record) {
  if constexpr (kMayRelay) {
    if (!begun_.load(std::memory_order_relaxed) && !in_handler()) [[unlikely]]
      begin();
    ++thread.sent;
    relay_->send(*thread.relay_lanes, epoch_, to, record);
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::send_many(Thread& thread, std::span<const Rank> to, std::span<const R> records) {
  if (ranks_ == 1) return send_run(thread, 0, records);
  if constexpr (kMayRelay)
    if (relay_) {
      if (!in_handler()) begin();
      thread.sent += records.size();
      return relay_->send_many(epoch_, to, records);
    }
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
  Lanes lanes(*this, thread);
  for (std::size_t i = 0; i < records.size(); ++i) lanes.send(to[i], records[i]);
}

// Passes on everything that this rank's threads have appended, what handlers append meanwhile included.
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::flush() {
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

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::take_route(std::string_view name) {
  relay_ = nullptr;
  if (name != "direct") {
    for (const auto& r : relays_)
      if (r->hops().route().name() == name) relay_ = r.get();
    if (!relay_) {
      const Hops& hops = world_.hops(name);
      relay_ = relays_.emplace_back(std::make_unique<Relay<R, M>>(world_, hops, merge_, &Mailbox::arrive, this, epoch_))
                   .get();
    }
  }
  for (std::size_t t = 0; t < threads_.size(); ++t) threads_[t].relay_lanes = relay_ ? &relay_->lanes(t) : nullptr;
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::expect(Exchange exchange) {
  if constexpr (kMayRelay) {
    if (!world_.chooses_routes() || pieces_) return;
    exchange.record_bytes = sizeof(R);
    const std::string_view route = world_.route_model().best(exchange);
    predicted_seconds_ = world_.route_model().seconds(route, exchange);
    take_route(route);
    world_.vote_by_tree(relay_ != nullptr);
    began_at_ = world_.now();
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::note_outcome() {
  if constexpr (kMayRelay) {
    if (!world_.chooses_routes() || pieces_) return;
    const std::string route(relay_ ? relay_->hops().route().name() : "direct");
    RouteCount& count = world_.thread_state().counters.routes[route];
    ++count.exchanges;
    count.predicted_seconds += predicted_seconds_;
    count.seconds += world_.now() - began_at_;
  }
}

// Quiescence by counting: all that was sent has been received. Where handlers do not send, one equal count proves it:
// every rank has flushed before it votes. Else the counts must be equal, and the same, in two rounds running (Mattern,
// "Algorithms for distributed termination detection", 1987, the four-counter method).
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::vote() {
  if constexpr (kMayRelay)
    if (relay_) relay_->in_step();
  struct Count {
    std::uint64_t sent, received;
  };
  for (Count last{UINT64_MAX, 0};;) {
    if constexpr (kMayRelay)
      if (relay_) relay_->flush();
    flush();
    while (!relays() && world_.progress()) flush();
    Count mine{0, 0};
    for (const Thread& t : threads_) {
      mine.sent += t.sent;
      mine.received += t.received.load(std::memory_order_relaxed);
    }
    mine.received += merged();
    const Count all = world_.fold(
        mine, [](const Count& a, const Count& b) { return Count{a.sent + b.sent, a.received + b.received}; });
    if (all.sent == all.received && (!options_.handler_sends || all.sent == last.sent || ranks_ == 1)) break;
    last = all.sent == all.received ? all : Count{UINT64_MAX, 0};
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::drain() {
  begin();
  if (closes_ways()) {
    if constexpr (kMayRelay) relay_->close_ways();
  } else {
    vote();
  }
  if constexpr (kMayRelay)
    for (const auto& r : relays_) r->end_epoch();
  ++epoch_;
  begun_.store(false, std::memory_order_release);
  // Between epochs a mailbox holds no slot: others need them.
  for (Thread& t : threads_)
    for (Lane& lane : t.lanes)
      if (lane.slot.ticket != kBlock) drop(lane);
  std::uint64_t records = 0;
  for (Thread& t : threads_) records += t.sent;
  world_.thread_state().counters.records += records - std::exchange(noted_records_, records);
}

}  // namespace atl
