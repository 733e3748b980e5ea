// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/runtime/aggregation/epoch_receiver.hpp>
#include <atoll/runtime/aggregation/relay.hpp>
#include <atoll/runtime/aggregation/send_buffers.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <atoll/runtime/traffic/traffic_log.hpp>
#include <concepts>
#include <optional>

/// Sends small records to the ranks that own them. Records with a common next hop share packets.
///
///     Mailbox box(world, of_records<Visit>([&](const Visit& m) { visit(m.v, m.from); }));
///     box.send(owner(v), {v, u});     // cheap: appends to a send buffer of the calling thread
///     box.drain();                    // collective: returns when no record is left on any rank
///     box.drain({{found}});           // the same, and returns the sum of `found` over all ranks
///
/// The handler runs on the receiving rank, inside a send() that finds its buffer full or inside drain(). It may run on
/// several threads at once (Handling::serial: one at a time). It may send; those records are appended without waiting.
/// Records arrive in any order, each exactly once.
///
/// Epochs: drain() ends one. A faster peer may already send records of the next epoch; this rank defers them until it
/// sends or drains in that epoch too. So a handler never sees a record of an epoch that its own rank has not begun.
///
/// If the plan's route has several hops (runtime/routes/route.hpp), a Relay carries the records. If a merge is
/// named, it combines records to the same target on their way:
///
///     Merge least{[](const Label& l) { return l.v; }, [](Label& a, const Label& b) { a.min = std::min(a.min, b.min); }};
///     Mailbox box(world, of_records<Label>(lower, least));
///
/// Records take one hop if the handler asks for the sending rank, or if they are longer than a slot.
///
/// Cost: send() is a store and a comparison. A full buffer costs two virtual calls and one progress(). Memory: a slot
/// of the fabric for each (thread, rank) that has been sent to, and heap blocks for what handlers send while the fabric
/// is busy. Ranks in shared memory fill heap blocks always (SendBuffers).
///
/// Why nothing deadlocks: a thread that waits for a slot makes progress meanwhile, which frees its peers' slots. A
/// handler never waits, so every progress() ends.
namespace atl {

/// Records travel as bytes. A packet's payload is 16-byte aligned.
template <class R>
concept Record = std::is_trivially_copyable_v<R> && alignof(R) <= 16;

/// The handler takes a record, a run of records (to prefetch), or a run with the rank that sent it.
template <class H, class R>
concept Handler = std::invocable<H&, const R&> || std::invocable<H&, std::span<const R>> ||
                  std::invocable<H&, Rank, std::span<const R>>;

struct MailboxOptions {
  Handling handling = Handling::parallel;
  /// Whether the handler sends into this very mailbox. false saves drain() a counting round.
  bool handler_sends = true;
  /// Whether handling a record takes longer than sending it, as with lookups in large memory. Partly filled slots are
  /// then as fast and touch less memory.
  bool handler_is_slow = false;
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
  [[gnu::cold]] Mailbox(World& world, RecordsTo<R, H, M> to, MailboxOptions options = {})
      : world_(world),
        merge_(std::move(to.merge)),
        options_(options),
        ranks_(world.size()),
        receiver_(world, std::move(to.handler), options.handling, &Mailbox::note_deferred, this),
        direct_(world, receiver_, is_long(world) ? Direct::Records::in_pieces : Direct::Records::in_slots,
                options.handler_is_slow ? Direct::BlockSize::stays_small : Direct::BlockSize::grows) {
    if (world.traffic()) keep_traffic();
    const MailboxLog::Inside opening(traffic_.get());
    if (!kMayRelay || direct_.in_pieces() || world.route().is_direct() || world.chooses_routes()) direct_.open();
    if constexpr (kMayRelay) {
      if (direct_.in_pieces()) {
        // One hop: no relay.
      } else if (world.chooses_routes()) {
        expect({.records = static_cast<double>(ranks_) * static_cast<double>(direct_.capacity())});
      } else if (!world.route().is_direct()) {
        take_route(world.route().name());
      }
    }
  }
  /// Not collective. Records that were sent after the last drain() may be lost.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Appends. Waits only if the buffer is full and the fabric busy. Any thread of the team. InputError, on this rank only,
  /// if there is no such rank.
  void send(Rank to, const R& record) {
    check(to >= 0 && to < ranks_,
          "a record is sent to rank {} (there are {}, numbered from 0). Send it to one of them.", to, ranks_);
    send_buffers().send(to, record);
  }

  /// The calling thread's send buffers. Look them up once before a loop. They do not check that a rank exists.
  class Buffers {
   public:
    void send(Rank to, const R& record) {
      if (box_.relays()) return box_.send_on(number_, to, record);
      box_.direct_.send(thread_, to, record);
    }
    /// The bulk form: records[i] goes to rank to[i]. Vector instructions bucket the records where the machine has them.
    void send_many(std::span<const Rank> to, std::span<const R> records) {
      if (box_.ranks_ == 1) return send_run(0, records);
      if (box_.relays()) return box_.send_many_on(number_, to, records);
      box_.direct_.send_many(thread_, to, records);
    }
    /// Sends records that all go to one rank. Records to the own rank are handled in place.
    void send_run(Rank to, std::span<const R> records) {
      if (to == box_.world_.rank() && !box_.receiver_.in_handler()) return box_.direct_.send_here(thread_, records);
      if (!box_.relays()) return box_.direct_.send_run(thread_, to, records);
      for (const R& r : records) box_.send_on(number_, to, r);
    }

   private:
    friend class Mailbox;
    Buffers(Mailbox& box, std::size_t number) : box_(box), thread_(box.direct_.thread(number)), number_(number) {}
    Mailbox& box_;
    typename SendBuffers<R, H>::Thread& thread_;
    const std::size_t number_;  // the thread's
  };
  Buffers send_buffers() { return Buffers(*this, static_cast<std::size_t>(Team::this_thread())); }

  /// The route of several hops that records take now; null if they take one hop. For senders that use a Multicast.
  const Route* relay_route() const {
    if constexpr (kMayRelay)
      if (relay_) return &relay_->hops().route();
    return nullptr;
  }
  /// Where the traffic is kept; null if it is not. A sender that uses a Multicast adds there what its records stand for:
  /// a record for each rank, with a key that names the value.
  MailboxLog* traffic() const { return traffic_.get(); }
  /// Announces the next exchange; every rank passes the same, between two drains. This exchange and those that follow
  /// take that of World::route_choices() which has the least predicted cost. The mailbox fills in record_bytes.
  void expect(Exchange exchange);
  /// The same for an exchange between these two. False, and nothing is announced, if no route is good for both: if one
  /// may lose more than it takes the ranks to agree on what the exchange will be.
  /// Its prediction is that for as many records from each rank as this rank sends.
  bool expect_between(Exchange least, Exchange most);
  /// The announced exchange is over: drained, and the ranks have agreed on what follows. Counts the measured time
  /// beside the predicted one.
  void note_outcome();

  /// Collective; outside team regions. When it returns, every record sent before on any rank, and every record that
  /// handlers sent since, has been handled. Throws TransportError, the same on every surviving rank.
  void drain() {
    const MailboxLog::Drain kept(traffic_.get(), false);
    finish({});
  }
  /// The same; returns the sums of `mine` over all ranks. They are known before the records have been handled, so what
  /// handlers count is for the next drain.
  DrainSums drain(const DrainSums& mine) {
    const MailboxLog::Drain kept(traffic_.get(), true);
    const DrainSums all = finish(mine);
    return sums_travel() ? all : world_.fold(mine, [](DrainSums a, const DrainSums& b) { return a += b; });
  }
  /// Whether drain(sums) takes no longer than drain(): the packets that end an exchange carry the numbers.
  bool sums_travel() const { return relays() && relay_->hops().closed_by_counts() && !options_.handler_sends; }

 private:
  using Direct = SendBuffers<R, H>;
  static constexpr bool kMayRelay = !std::invocable<H&, Rank, std::span<const R>>;
  static bool is_long(const World& world) {
    const bool with_target = kMayRelay && !world.route().is_direct();
    return world.payload_bytes() < sizeof(R) + (with_target ? sizeof(Rank) + sizeof(ForwardQueue::Closing) : 0);
  }
  bool relays() const { return kMayRelay && relay_ != nullptr; }
  // With a Multicast, a record stands for a whole domain on route domain, which has one monitor for it then.
  bool chooses_routes() const {
    if (direct_.in_pieces() || world_.route().is_direct()) return false;
    return world_.chooses_routes() || (!kMulticasts<M> && world_.route_choices().size() > 1);
  }
  [[gnu::cold]] void take_route(std::string_view name);
  [[gnu::cold]] void announce(std::string_view route, const Exchange& exchange);
  std::uint64_t sent() const {
    std::uint64_t sum = direct_.sent();
    for (const auto& r : relays_) sum += r->sent();
    return sum;
  }
  std::uint64_t merged() const {
    std::uint64_t sum = 0;
    for (const auto& r : relays_) sum += r->merged();
    return sum;
  }
  void vote();
  [[gnu::cold]] void keep_traffic();
  [[gnu::cold]] void begin_or_keep(std::size_t thread, Rank to, const R& record);
  static void keep(void* self, std::size_t thread, Rank to, std::span<const R> records);
  DrainSums finish(const DrainSums& mine);
  void send_on(std::size_t thread, Rank to, const R& record);
  void send_many_on(std::size_t thread, std::span<const Rank> to, std::span<const R> records);
  static void arrive(void* self, std::uint32_t epoch, std::span<const R> records) {
    Mailbox& box = *static_cast<Mailbox*>(self);
    // relayed records do not carry their sender, and such a handler does not ask
    box.receiver_.receive(box.world_.rank(), epoch, records);
  }
  static void note_deferred(void* self, std::ptrdiff_t bytes) {
    Mailbox& box = *static_cast<Mailbox*>(self);
    box.world_.note_memory(bytes);
    if constexpr (kMayRelay)
      for (const auto& r : box.relays_) r->note_deferred(bytes);
  }

  World& world_;
  [[no_unique_address]] M merge_;
  const MailboxOptions options_;
  const Rank ranks_;
  EpochReceiver<R, H> receiver_;
  Direct direct_;
  std::uint64_t noted_records_ = 0;                   // records already added to the World's counters
  std::uint64_t last_records_ = 0;                    // those of the last epoch
  std::vector<std::unique_ptr<Relay<R, M>>> relays_;  // one for each route of several hops taken so far
  Relay<R, M>* relay_ = nullptr;                      // the relay of this epoch; null: records take one hop
  std::unique_ptr<MailboxLog> traffic_;               // null: it is not kept
  double predicted_seconds_ = 0, began_at_ = 0;       // of this epoch, if routes are chosen
  std::optional<Exchange> between_;                   // the announced exchange, if its records are not known yet
};

template <Record R, class H, class M>
Mailbox(World&, RecordsTo<R, H, M>) -> Mailbox<R, H, M>;
template <Record R, class H, class M>
Mailbox(World&, RecordsTo<R, H, M>, MailboxOptions) -> Mailbox<R, H, M>;

// ---------------------------------------------------------------------------------------------------------------------

template <Record R, Handler<R> H, class M>
[[gnu::cold]] Mailbox<R, H, M>::~Mailbox() = default;

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::send_on(std::size_t thread, Rank to, const R& record) {
  if constexpr (kMayRelay) {
    if (!receiver_.is_plain()) [[unlikely]]
      begin_or_keep(thread, to, record);
    relay_->send(relay_->buffers(thread), receiver_.epoch(), to, record);
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::send_many_on(std::size_t thread, std::span<const Rank> to, std::span<const R> records) {
  if constexpr (kMayRelay) {
    if (!receiver_.in_handler()) receiver_.begin();
    if (traffic_ && !kMulticasts<M>) [[unlikely]]
      for (std::size_t i = 0; i < records.size(); ++i) keep(this, thread, to[i], records.subspan(i, 1));
    relay_->send_many(relay_->buffers(thread), receiver_.epoch(), to, records);
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::keep_traffic() {
  using Joins = KeptMailbox::Joins;
  constexpr Joins kJoins = !kMayRelay       ? Joins::asking
                           : kMerges<M>     ? Joins::merging
                           : kMulticasts<M> ? Joins::multicasting
                                            : Joins::plain;
  traffic_ = std::make_unique<MailboxLog>(*world_.traffic(), static_cast<std::size_t>(world_.thread_slots()),
                                          KeptMailbox{.record_bytes = sizeof(R),
                                                      .joins = kJoins,
                                                      .handler_sends = options_.handler_sends,
                                                      .handler_is_slow = options_.handler_is_slow});
  // The records of a multicast stand for others, which their sender keeps.
  if constexpr (!kMulticasts<M>) {
    direct_.keep_by(&Mailbox::keep, this);
    receiver_.keep();
  }
}

// The sender of the first record of an epoch begins it; where traffic is kept all senders come here.
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::begin_or_keep(std::size_t thread, Rank to, const R& record) {
  if (!receiver_.has_begun() && !receiver_.in_handler()) receiver_.begin();
  if constexpr (!kMulticasts<M>)
    if (traffic_) keep(this, thread, to, {&record, 1});
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::keep(void* self, std::size_t thread, Rank to, std::span<const R> records) {
  Mailbox& box = *static_cast<Mailbox*>(self);
  if (!box.traffic_->is_open()) return;
  for (const R& record : records) {
    std::uint64_t key = 0;
    if constexpr (kMerges<M>) key = static_cast<std::uint64_t>(box.merge_.key(record));
    box.traffic_->add(thread, to, key);
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::take_route(std::string_view name) {
  relay_ = nullptr;
  if (name != "direct") {
    for (const auto& r : relays_)
      if (r->hops().route().name() == name) relay_ = r.get();
    if (!relay_) {
      const HopList& hops = world_.hops(name);
      relay_ = relays_
                   .emplace_back(
                       std::make_unique<Relay<R, M>>(world_, hops, merge_, &Mailbox::arrive, this, receiver_.epoch()))
                   .get();
    }
  }
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::expect(Exchange exchange) {
  if constexpr (kMayRelay) {
    if (traffic_) traffic_->expect(exchange);
    if (!chooses_routes()) return;
    exchange.record_bytes = sizeof(R);
    announce(world_.route_model().best(exchange, world_.route_choices()), exchange);
  }
}

template <Record R, Handler<R> H, class M>
bool Mailbox<R, H, M>::expect_between(Exchange least, Exchange most) {
  if constexpr (kMayRelay) {
    if (traffic_) traffic_->expect_between(least, most);
    if (!chooses_routes()) return true;
    least.record_bytes = most.record_bytes = sizeof(R);
    const RouteModel& model = world_.route_model();
    const RouteModel::Choice choice = model.best_of_both(least, most, world_.route_choices());
    if (choice.loss_seconds > model.vote_seconds(world_.votes_by_tree())) return false;
    announce(choice.route, least);
    between_ = least;
  }
  return true;
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::announce(std::string_view route, const Exchange& exchange) {
  predicted_seconds_ = world_.route_model().seconds(route, exchange);
  between_.reset();
  const MailboxLog::Inside choosing(traffic_.get());
  take_route(route);
  world_.vote_by_tree(relay_ != nullptr);
  began_at_ = world_.now();
}

template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::note_outcome() {
  if constexpr (kMayRelay) {
    if (traffic_) traffic_->note_outcome();
    if (!chooses_routes()) return;
    const std::string route(relay_ ? relay_->hops().route().name() : "direct");
    if (between_) {
      between_->records = static_cast<double>(last_records_) * static_cast<double>(ranks_);
      predicted_seconds_ = world_.route_model().seconds(route, *between_);
    }
    RouteCount& count = world_.thread_state().counters.routes[route];
    ++count.exchanges;
    count.predicted_seconds += predicted_seconds_;
    count.seconds += world_.now() - began_at_;
  }
}

// Termination detection by counting: every record sent has been received. If handlers do not send, one round of equal
// counts proves it, because every rank flushes before it votes. Otherwise the counts must be equal, and unchanged, in
// two successive rounds (Mattern, "Algorithms for distributed termination detection", 1987, the four-counter method).
template <Record R, Handler<R> H, class M>
void Mailbox<R, H, M>::vote() {
  if constexpr (kMayRelay)
    if (relay_) relay_->flush_by_rounds();
  struct Count {
    std::uint64_t sent, received;
  };
  for (Count last{UINT64_MAX, 0};;) {
    if constexpr (kMayRelay)
      if (relay_) relay_->flush();
    direct_.flush();
    while (!relays() && world_.progress()) direct_.flush();
    const Count mine{sent(), receiver_.handled() + merged()};
    const Count all = world_.fold(
        mine, [](const Count& a, const Count& b) { return Count{a.sent + b.sent, a.received + b.received}; });
    if (all.sent == all.received && (!options_.handler_sends || all.sent == last.sent || ranks_ == 1)) break;
    last = all.sent == all.received ? all : Count{UINT64_MAX, 0};
  }
}

template <Record R, Handler<R> H, class M>
DrainSums Mailbox<R, H, M>::finish(const DrainSums& mine) {
  receiver_.begin();
  DrainSums all;
  if (sums_travel()) {
    if constexpr (kMayRelay) all = relay_->close_hops(mine);
  } else {
    vote();
  }
  if constexpr (kMayRelay)
    for (const auto& r : relays_) r->end_epoch();
  receiver_.end();
  direct_.release_slots();
  const std::uint64_t records = sent();
  last_records_ = records - std::exchange(noted_records_, records);
  world_.thread_state().counters.records += last_records_;
  return all;
}

}  // namespace atl
