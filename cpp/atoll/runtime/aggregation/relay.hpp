// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/aggregation/relay_lanes.hpp>
#include <cstring>
#include <type_traits>

/// Carries a mailbox's records over routes of several hops, where those with a common next hop travel together.
///
/// Between hops records lie in RelayLanes. What is not full waits for its round (Route::round_of), so that a monitor sends
/// on what its whole domain gave it, in one message. Packets that arrive are passed on at once, to the lanes of the thread
/// that found them, or handed to the mailbox.
namespace atl {

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

  using Thread = typename RelayLanes<R, M>::Thread;
  /// Those of a thread of the team.
  Thread& lanes(std::size_t thread) { return lanes_.threads()[thread]; }
  /// Appends; outside handlers it may wait for a slot.
  void send(Thread& thread, std::uint32_t epoch, Rank to, const R& record) {
    ++thread.sent;
    lanes_.send(thread, hops_.way_to(Phase::up, to), epoch, to, record);
  }
  void send_many(Thread& thread, std::uint32_t epoch, std::span<const Rank> to, std::span<const R> records) {
    thread.sent += records.size();
    lanes_.deal_out(thread, Phase::up, epoch, to.data(), records.data(), records.size(),
                    world_.thread_state().handlers == 0 ? Full::may_wait : Full::never_waits);
  }

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
  /// Records that were sent here since the beginning.
  std::uint64_t sent() const {
    std::uint64_t sum = 0;
    for (const Thread& t : lanes_.threads()) sum += t.sent;
    return sum;
  }
  /// Those of them that have become part of others: they will not arrive.
  std::uint64_t merged() const {
    std::uint64_t sum = 0;
    for (const Thread& t : lanes_.threads()) sum += t.merged;
    return sum;
  }

 private:
  using Phase = Route::Phase;
  using Lanes = RelayLanes<R, M>;
  using Full = typename Lanes::Full;
  static constexpr std::size_t kChunk = Lanes::kChunk;

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

  static std::vector<Port> make_ports(Relay* relay, int rounds);
  static std::vector<std::uint32_t> open_channels(World& world, std::vector<Port>& ports);
  static void arrive_block(void* self, const ForwardQueue::Block& block) {
    auto& relay = *static_cast<Relay*>(self);
    relay.arrive_(relay.box_, block.epoch, {Lanes::records_of(block) + block.sent, block.size - block.sent});
  }
  void deliver(const Port& port, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes);
  void pass_on(Phase phase, std::uint32_t epoch, const std::byte* data, std::size_t n);
  void arrive(Thread& thread, Phase phase, std::uint32_t epoch, std::span<const R> records);
  void flush(int round) {
    lanes_.flush(round);
    onward_.clear(round);
  }
  bool is_complete(int round) const;

  World& world_;
  const Hops& hops_;
  [[no_unique_address]] M merge_;
  const Arrive arrive_;
  void* const box_;
  std::vector<Port> ports_;  // [2 * round + arrival]
  std::vector<std::uint32_t> channels_;
  ForwardQueue onward_;
  Lanes lanes_;
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
      lanes_(world, hops_, onward_, merge_),
      epoch_(epoch),
      arrivals_(static_cast<std::size_t>(hops_.rounds())) {}

template <class R, class M>
Relay<R, M>::~Relay() {
  for (const std::uint32_t c : channels_) world_.close_channel(c);
  std::size_t bytes = 0;
  for (const Held& h : held_) bytes += h.data.size();
  world_.note_memory(-static_cast<std::ptrdiff_t>(bytes));
}

template <class R, class M>
void Relay<R, M>::close_ways() {
  for (int round = 0; round < hops_.rounds(); ++round) {
    lanes_.close(round, epoch_.load(std::memory_order_relaxed));
    world_.wait_until("drain: records of other ranks", [&] { return is_complete(round); });
  }
  onward_.clear(hops_.rounds() - 1);
  for (Arrivals& a : arrivals_) {
    a.closed.store(0, std::memory_order_relaxed);
    a.promised.store(0, std::memory_order_relaxed);
    a.records.store(0, std::memory_order_relaxed);
  }
  lanes_.end_epoch();
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

template <class R, class M>
void Relay<R, M>::deliver(const Port& port, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes) {
  const std::uint32_t epoch = stamp & ~ForwardQueue::kCloses;
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
  const bool closes = (stamp & ForwardQueue::kCloses) != 0;
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
      lanes_.deal_out(thread, phase, epoch, to, records + first, some, Full::never_waits);
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
      lanes_.deal_out(thread, phase, epoch, rest_to, on_rest, rest, Full::never_waits);
    }
  }
}

// Records whose target is this rank.
template <class R, class M>
void Relay<R, M>::arrive(Thread& thread, Phase phase, std::uint32_t epoch, std::span<const R> records) {
  if constexpr (!kMulticasts<M>) {
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
        lanes_.append(thread, hops_.way_to(phase, to), epoch, to, copy, Full::never_waits);
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
