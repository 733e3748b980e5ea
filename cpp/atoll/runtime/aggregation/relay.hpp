// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/aggregation/relay_buffers.hpp>
#include <cstring>
#include <type_traits>

/// Carries a mailbox's records over routes of several hops. Records with a common next hop share packets.
///
/// Each hop appends records to RelayBuffers. A buffer that is not full waits for its round (Route::round_of), so a
/// monitor forwards what its whole domain sent to it in one message. The thread that receives a packet forwards its
/// records at once into its own buffers; records that have reached their target go to the mailbox.
namespace atl {

template <class R, class M>
class Relay {
 public:
  /// Receives records at their target, with the epoch in which they were sent. May run inside any progress().
  using Arrive = void (*)(void* box, std::uint32_t epoch, std::span<const R> records);

  /// Collective by order, like a declaration.
  [[gnu::cold]] Relay(World& world, const HopList& hops, M merge, Arrive arrive, void* box, std::uint32_t epoch);
  [[gnu::cold]] ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  using Thread = typename RelayBuffers<R, M>::Thread;
  /// The send buffers of one thread of the team.
  Thread& buffers(std::size_t thread) { return buffers_.threads()[thread]; }
  /// Appends; outside handlers it may wait for a slot.
  void send(Thread& thread, std::uint32_t epoch, Rank to, const R& record) {
    ++thread.sent;
    buffers_.send(thread, hops_.hop_for(Phase::up, to), epoch, to, record);
  }
  void send_many(Thread& thread, std::uint32_t epoch, std::span<const Rank> to, std::span<const R> records) {
    thread.sent += records.size();
    buffers_.distribute(thread, Phase::up, epoch, to.data(), records.data(), records.size(),
                        world_.thread_state().handlers == 0 ? Full::may_wait : Full::never_waits);
  }

  /// Collective; outside team regions and handlers. Sends what all threads hold, hop by hop. Each rank forwards
  /// gathered records once per round, not at each arrival: few long messages. After a round the ranks of the domain
  /// inside which its hops stay wait for each other. Records that arrive later than that are forwarded in a later
  /// round.
  void flush_by_rounds() {
    for (int round = 0; round < hops_.rounds(); ++round) {
      flush(round);
      if (round + 1 < hops_.rounds()) world_.barrier_within(hops_.route().level_of(round));
    }
  }
  /// The same where that pays (HopList::closed_by_counts), if handlers do not send. The last packet of a hop
  /// counts its records. Each rank goes on when its own incoming hops are complete, and at the end all records
  /// have arrived without a vote. Returns the sums of `mine` over all ranks, which the same packets carry.
  DrainSums close_hops(const DrainSums& mine);
  /// Ends the epoch on this rank. From here on it forwards packets of the next epoch, which faster ranks may have sent
  /// already.
  void end_epoch();
  const HopList& hops() const { return hops_; }
  /// Forwards everything this rank holds, without waiting for other ranks.
  void flush() {
    while (world_.progress()) {
    }
    flush(hops_.rounds() - 1);
  }
  /// The mailbox defers this many more bytes to the next epoch (fewer, if negative). If it defers too many, this rank
  /// stops the ranks that send to it.
  void note_deferred(std::ptrdiff_t bytes) { forward_queue_.note_deferred(bytes); }
  /// The number of records sent by this rank's users, over all epochs.
  std::uint64_t sent() const {
    std::uint64_t sum = 0;
    for (const Thread& t : buffers_.threads()) sum += t.sent;
    return sum;
  }
  /// How many records this rank has merged into others, which therefore will not arrive.
  std::uint64_t merged() const {
    std::uint64_t sum = 0;
    for (const Thread& t : buffers_.threads()) sum += t.merged;
    return sum;
  }

 private:
  using Phase = Route::Phase;
  using Buffers = RelayBuffers<R, M>;
  using Full = typename Buffers::Full;
  static constexpr std::size_t kChunk = Buffers::kChunk;

  // The receiving end of a channel: its packets arrive in one round, and their records go on in one phase.
  struct Port {
    Relay* relay;
    int round;
    Phase arrival;
    static void deliver(void* self, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes) {
      const Port& port = *static_cast<Port*>(self);
      port.relay->deliver(port, from, stamp, data, bytes);
    }
  };
  // Counts of records that arrived in one round of this epoch, over all incoming hops.
  struct alignas(64) Arrivals {
    std::atomic<int> closed{0};                          // hops whose last packet has arrived
    std::atomic<std::uint64_t> promised{0}, records{0};  // announced by those packets; received
  };
  struct Deferred {
    const Port* port;
    Rank from;
    std::uint32_t stamp;
    std::vector<std::byte> data;
  };

  static std::vector<Port> make_ports(Relay* relay, int rounds);
  static std::vector<std::uint32_t> open_channels(World& world, std::vector<Port>& ports);
  static void arrive_block(void* self, const ForwardQueue::Block& block) {
    auto& relay = *static_cast<Relay*>(self);
    relay.arrive_(relay.box_, block.epoch, {Buffers::records_of(block) + block.sent, block.size - block.sent});
  }
  void deliver(const Port& port, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes);
  void forward(Phase phase, std::uint32_t epoch, const std::byte* data, std::size_t n);
  void charge_forwarding(const std::byte* targets, std::size_t n) const;
  void arrive(Thread& thread, Phase phase, std::uint32_t epoch, std::span<const R> records);
  void flush(int round) {
    buffers_.flush(round);
    forward_queue_.wait_until_empty(round);
  }
  bool is_complete(int round) const;
  // Sums that arrived in this epoch, from ranks across each level.
  using AtomicSums = std::array<std::atomic<std::int64_t>, std::tuple_size_v<decltype(DrainSums::values)>>;
  AtomicSums& sums(int round, Phase arrival, int level) {
    const auto port = static_cast<std::size_t>(2 * round + static_cast<int>(arrival));
    return sums_[port * static_cast<std::size_t>(hops_.route().depth()) + static_cast<std::size_t>(level)];
  }
  DrainSums arrived(int before_round, Phase arrival, int from_level, int to_level);
  DrainSums carried(const HopList::Hop& hop, const DrainSums& mine);

  World& world_;
  const HopList& hops_;
  [[no_unique_address]] M merge_;
  const Arrive arrive_;
  void* const box_;
  const RecordCharges charges_;
  std::vector<Port> ports_;  // [2 * round + arrival]
  std::vector<std::uint32_t> channels_;
  ForwardQueue forward_queue_;
  Buffers buffers_;
  std::atomic<std::uint32_t> epoch_;
  std::vector<Arrivals> arrivals_;  // [round]
  std::vector<AtomicSums> sums_;    // [2 * round + arrival][level]
  SpinLock deferred_lock_;
  std::vector<Deferred> deferred_;  // packets of the next epoch, from faster ranks
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
Relay<R, M>::Relay(World& world, const HopList& hops, M merge, Arrive arrive, void* box, std::uint32_t epoch)
    : world_(world),
      hops_(hops),
      merge_(std::move(merge)),
      arrive_(arrive),
      box_(box),
      charges_(world),
      ports_(make_ports(this, hops_.rounds())),
      channels_(open_channels(world, ports_)),
      forward_queue_(world, hops_, sizeof(R), channels_, &Relay::arrive_block, this),
      buffers_(world, hops_, forward_queue_, merge_),
      epoch_(epoch),
      arrivals_(static_cast<std::size_t>(hops_.rounds())),
      sums_(ports_.size() * static_cast<std::size_t>(hops_.route().depth())) {}

template <class R, class M>
Relay<R, M>::~Relay() {
  for (const std::uint32_t c : channels_) world_.close_channel(c);
  std::size_t bytes = 0;
  for (const Deferred& h : deferred_) bytes += h.data.size();
  world_.note_memory(-static_cast<std::ptrdiff_t>(bytes));
}

template <class R, class M>
DrainSums Relay<R, M>::close_hops(const DrainSums& mine) {
  for (int round = 0; round < hops_.rounds(); ++round) {
    buffers_.close(round, epoch_.load(std::memory_order_relaxed),
                   [&](const HopList::Hop& hop) { return carried(hop, mine); });
    world_.wait_until("drain: records of other ranks", [&] { return is_complete(round); });
  }
  forward_queue_.wait_until_empty(hops_.rounds() - 1);
  DrainSums all = mine;
  all += arrived(hops_.rounds(), Phase::down, 0, hops_.route().depth());
  for (AtomicSums& some : sums_)
    for (auto& value : some) value.store(0, std::memory_order_relaxed);
  for (Arrivals& a : arrivals_) {
    a.closed.store(0, std::memory_order_relaxed);
    a.promised.store(0, std::memory_order_relaxed);
    a.records.store(0, std::memory_order_relaxed);
  }
  buffers_.end_epoch();
  return all;
}

// The sums that arrived in rounds before this one, from ranks across levels [from_level, to_level).
template <class R, class M>
DrainSums Relay<R, M>::arrived(int before_round, Phase arrival, int from_level, int to_level) {
  DrainSums all;
  for (int round = 0; round < before_round; ++round)
    for (int level = from_level; level < to_level; ++level)
      for (std::size_t i = 0; i < all.values.size(); ++i)
        all.values[i] += sums(round, arrival, level)[i].load(std::memory_order_relaxed);
  return all;
}

// Sums travel as a record from each rank to each other rank would, and one packet carries all that take its hop. Across
// a level come, of this side, the rank's own and those gathered from its domain below that level, and, of ranks farther
// away, those that have entered this side here.
template <class R, class M>
DrainSums Relay<R, M>::carried(const HopList::Hop& hop, const DrainSums& mine) {
  DrainSums all;
  if (hops_.route().hands_on(hop.level)) all = arrived(hop.round, Phase::down, hop.level + 1, hops_.route().depth());
  if (!hops_.route().begins_in(hop.round)) return all;
  all += mine;
  return all += arrived(hop.round, Phase::up, 0, hop.level);
}

template <class R, class M>
bool Relay<R, M>::is_complete(int round) const {
  const Arrivals& a = arrivals_[round];
  return a.closed.load(std::memory_order_acquire) == hops_.arriving(round) &&
         a.records.load(std::memory_order_acquire) == a.promised.load(std::memory_order_acquire);
}

template <class R, class M>
void Relay<R, M>::end_epoch() {
  std::vector<Deferred> due;
  {
    std::lock_guard hold(deferred_lock_);
    epoch_.fetch_add(1, std::memory_order_release);
    due.swap(deferred_);
  }
  for (const Deferred& h : due) {
    forward_queue_.note_deferred(-static_cast<std::ptrdiff_t>(h.data.size()));
    world_.note_memory(-static_cast<std::ptrdiff_t>(h.data.size()));
    deliver(*h.port, h.from, h.stamp, h.data.data(), h.data.size());
  }
}

template <class R, class M>
void Relay<R, M>::deliver(const Port& port, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes) {
  const std::uint32_t epoch = stamp & ~ForwardQueue::kCloses;
  if (epoch != epoch_.load(std::memory_order_acquire)) [[unlikely]] {
    // The sender is one epoch ahead. Buffers hold records of one epoch only, so its packet is copied and deferred.
    std::lock_guard hold(deferred_lock_);
    if (epoch != epoch_.load(std::memory_order_relaxed)) {
      charges_.copy(bytes);
      deferred_.push_back({&port, from, stamp, std::vector<std::byte>(data, data + bytes)});
      forward_queue_.note_deferred(static_cast<std::ptrdiff_t>(bytes));
      world_.note_memory(static_cast<std::ptrdiff_t>(bytes));
      forward_queue_.throttle(from, port.round, port.arrival);
      return;
    }
  }
  Arrivals& arrivals = arrivals_[port.round];
  const bool closes = (stamp & ForwardQueue::kCloses) != 0;
  ForwardQueue::Closing closing;
  if (closes) {
    bytes -= sizeof closing;
    std::memcpy(&closing, data + bytes, sizeof closing);
  }
  const std::size_t n = bytes / (sizeof(R) + sizeof(Rank));
  forward(port.arrival, epoch, data, n);
  forward_queue_.throttle(from, port.round, port.arrival);
  // Counted after forwarding (release): whoever sees these counts sees the forwarded records too.
  arrivals.records.fetch_add(n, std::memory_order_release);
  if (closes) {
    if (hops_.adds_sums(from, port.round, port.arrival)) {
      AtomicSums& into = sums(port.round, port.arrival, world_.level_to(from));
      for (std::size_t i = 0; i < into.size(); ++i)
        into[i].fetch_add(closing.sums.values[i], std::memory_order_relaxed);
    }
    arrivals.promised.fetch_add(closing.records, std::memory_order_release);
    arrivals.closed.fetch_add(1, std::memory_order_release);
  }
}

template <class R, class M>
void Relay<R, M>::forward(Phase phase, std::uint32_t epoch, const std::byte* data, std::size_t n) {
  const auto* records = reinterpret_cast<const R*>(data);
  const std::byte* targets = data + n * sizeof(R);
  if (charges_.is_on()) [[unlikely]]
    charge_forwarding(targets, n);
  Thread& thread = buffers(static_cast<std::size_t>(Team::this_thread()));
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
      buffers_.distribute(thread, phase, epoch, to, records + first, some, Full::never_waits);
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
      buffers_.distribute(thread, phase, epoch, rest_to, on_rest, rest, Full::never_waits);
    }
  }
}

// Charges for the records of a packet that go on from here, before the first of them does.
template <class R, class M>
void Relay<R, M>::charge_forwarding(const std::byte* targets, std::size_t n) const {
  std::size_t on = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Rank to;
    std::memcpy(&to, targets + i * sizeof to, sizeof to);
    on += to != world_.rank();
  }
  charges_.append(on, on * (sizeof(R) + sizeof(Rank)));
}

// Records whose target is this rank.
template <class R, class M>
void Relay<R, M>::arrive(Thread& thread, Phase phase, std::uint32_t epoch, std::span<const R> records) {
  if constexpr (!kMulticasts<M>) {
    arrive_(box_, epoch, records);
  } else {
    R here[kChunk];
    std::size_t n = 0, appended = 0;
    const auto take = [&](const R& record) {
      here[n++] = record;
      if (n == kChunk) arrive_(box_, epoch, {here, std::exchange(n, 0)});
    };
    for (const R& record : records) {
      std::uint64_t copies = 0;
      const bool many = merge_.copies(record, [&](Rank to, const R& copy) {
        ++copies;
        if (to == world_.rank()) return take(copy);
        ++appended;
        buffers_.append(thread, hops_.hop_for(phase, to), epoch, to, copy, Full::never_waits);
      });
      if (many) {
        thread.merged += 1 - copies;  // one was sent, so many arrive: sums are modulo 2^64
      } else {
        take(record);
      }
    }
    charges_.append(appended, appended * (sizeof(R) + sizeof(Rank)));
    if (n > 0) arrive_(box_, epoch, {here, n});
  }
}

}  // namespace atl
