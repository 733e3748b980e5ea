// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/block_store.hpp>
#include <atoll/transport/fiber.hpp>
#include <atoll/transport/levels.hpp>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>

namespace atl {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNoBlock = UINT32_MAX;

// Small messages in flight per ordered pair and kind; as a ring of a node has room for.
constexpr int kSmallInFlight = 64;
// After so many looks in vain, without a wait between them, time passes until the next event, and at least so much.
constexpr int kIdlePolls = 8;
constexpr double kPoll_s = 1e-7;
// Ranks that poll and time out for ever are no deadlock that shows by itself: so many turns and seconds of this machine
// without any message sent are one.
constexpr std::uint64_t kIdleTurns = 1'000'000;
constexpr double kIdle_s = 10;

enum Kind : std::uint8_t { kBulk, kMessage, kControl, kKinds };
constexpr TrafficSet kTrafficOf[kKinds] = {static_cast<TrafficSet>(Traffic::bulk),
                                           static_cast<TrafficSet>(Traffic::message),
                                           static_cast<TrafficSet>(Traffic::control)};

// In front of the payload of each block that is a slot or a message.
struct alignas(64) Message {
  double departs = 0;
  std::uint32_t next = kNoBlock;  // of the same sender, behind this one
  std::uint32_t bytes = 0;
  Rank from = -1, to = -1;
  Note note;
  std::uint8_t kind = kBulk, level = 0, size_class = 0;
};
static_assert(sizeof(Message) == BlockStore::kHead);

struct Event {
  double time;
  std::uint64_t number;
  Rank rank;           // that goes on, or kDeparture
  std::uint32_t what;  // which of the rank's wakes this is; the block that departs
};
struct Arrival {
  double time;
  std::uint64_t number;
  std::uint32_t block;
};
constexpr Rank kDeparture = -1;

// For std's heaps, whose top is the greatest.
struct Later {
  template <class E>
  bool operator()(const E& a, const E& b) const {
    return a.time != b.time ? a.time > b.time : a.number > b.number;
  }
};
template <class E>
void push(std::vector<E>& heap, const E& e) {
  heap.push_back(e);
  std::push_heap(heap.begin(), heap.end(), Later());
}
template <class E>
E pop(std::vector<E>& heap) {
  std::pop_heap(heap.begin(), heap.end(), Later());
  const E e = heap.back();
  heap.pop_back();
  return e;
}

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace

// ---- the event loop -------------------------------------------------------------------------------------------------

class Levels::Loop {
 public:
  // One rank. What it holds per peer is a byte for each kind of traffic; a World holds as much.
  struct Seat {
    double clock = 0;
    TimeSpent spent;
    double computed_at = 0;  // processor time that has been charged
    std::uint32_t last_departure = kNoBlock;
    std::array<std::vector<Arrival>, kKinds> arrivals;
    std::array<std::vector<std::uint8_t>, kKinds> in_flight;  // [to], from the first send on
    bool waits = false;
    TrafficSet wanted = 0;
    double wake_at = kNever;
    std::uint32_t wakes = 0;
    bool woken = false;    // by another rank: by wake(), or because there is room again
    bool starved = false;  // was refused, and no room has come since
    int idle_polls = 0;
    std::size_t held_bytes = 0;
    const char* operation = nullptr;
    std::exception_ptr error;
    std::unique_ptr<Fiber> fiber;
    bool ended = false;
  };

  explicit Loop(LevelsOptions options)
      : options_(std::move(options)), depth_(options_.hierarchy.depth()), ranks_(options_.hierarchy.size()) {
    const auto need = static_cast<std::size_t>(depth_);
    check(options_.costs.size() >= need, "costs of {} levels (the hierarchy has {}). Add the missing ones.",
          options_.costs.size(), depth_);
    for (const LinkCost& c : options_.costs)
      check(
          c.latency_s >= 0 && c.overhead_s >= 0 && c.bytes_per_second > 0 && std::isfinite(c.latency_s + c.overhead_s),
          "a level with latency {} s, overhead {} s and {} bytes/s (times are at least 0, a bandwidth is above). "
          "Correct it.",
          c.latency_s, c.overhead_s, c.bytes_per_second);
    check(options_.slots_per_peer >= 1 && options_.slots_per_peer <= 64,
          "slots_per_peer is {} (1 to 64 are possible). Change it in the plan.", options_.slots_per_peer);
    check(options_.slot_bytes >= 128 && options_.slot_bytes < (std::size_t{1} << 30),
          "slot_bytes is {} (128 to 2^30 are possible). Change it in the plan.", options_.slot_bytes);
    check(options_.compute_scale >= 0, "compute_scale is {} (at least 0). Change it.", options_.compute_scale);
    lookahead_ = kNever;
    for (int l = 0; l < depth_; ++l) lookahead_ = std::min(lookahead_, cost(l).latency_s);
    slot_class_ = BlockStore::class_of(options_.slot_bytes);
    seats_ = std::vector<Seat>(static_cast<std::size_t>(ranks_));
    domain_.resize(static_cast<std::size_t>(ranks_) * need);
    std::vector<int> domains(need, 0);
    number_domains(options_.hierarchy.root(), depth_ - 1, {}, domains);
    out_.resize(need);
    in_.resize(need);
    for (int l = 0; l < depth_; ++l) {
      const auto links = static_cast<std::size_t>(l == 0 ? ranks_ : domains[static_cast<std::size_t>(l - 1)]);
      out_[static_cast<std::size_t>(l)].resize(links);
      in_[static_cast<std::size_t>(l)].resize(links);
    }
    traffic_.resize(need);
  }

  const LevelsOptions& options() const { return options_; }
  Rank ranks() const { return ranks_; }
  Seat& seat(Rank r) { return seats_[static_cast<std::size_t>(r)]; }
  const Seat& seat(Rank r) const { return seats_[static_cast<std::size_t>(r)]; }
  const LinkCost& cost(int level) const { return options_.costs[static_cast<std::size_t>(level)]; }
  const std::vector<LevelTraffic>& traffic() const { return traffic_; }

  std::size_t memory_bytes() const {
    std::size_t bytes = blocks_.bytes() + seats_.size() * sizeof(Seat) + domain_.size() * sizeof(int);
    for (const Seat& s : seats_) {
      for (const auto& a : s.arrivals) bytes += a.capacity() * sizeof(Arrival);
      for (const auto& f : s.in_flight) bytes += f.capacity();
    }
    return bytes;
  }

  // ---- what a rank's fabric asks for, on its fiber ----

  int level_between(Rank a, Rank b) const {
    const int* x = domains_of(a);
    const int* y = domains_of(b);
    int level = 0;
    while (x[level] != y[level]) ++level;
    return level;
  }

  // Computation since the last look, if it takes time.
  void charge(Seat& s) {
    if (options_.compute_scale == 0) return;
    const double now = processor_seconds(), mine = (now - s.computed_at) * options_.compute_scale;
    s.computed_at = now;
    s.clock += mine;
    s.spent.compute += mine;
  }

  std::uint32_t take(Rank from, Rank to, Kind kind, int size_class, Busy& busy) {
    Seat& s = seat(from);
    auto& in_flight = s.in_flight[kind];
    if (in_flight.empty()) in_flight.resize(static_cast<std::size_t>(ranks_));
    std::uint8_t& n = in_flight[static_cast<std::size_t>(to)];
    if (n >= (kind == kBulk ? options_.slots_per_peer : kSmallInFlight)) {
      s.starved = true;
      busy = Busy::no_slot;
      return kNoBlock;
    }
    ++n;
    const std::uint32_t block = fill(from, to, kind, size_class);
    busy = Busy::no;
    return block;
  }

  Message& message(std::uint32_t block) { return *reinterpret_cast<Message*>(blocks_.at(block)); }
  std::byte* payload(std::uint32_t block) { return blocks_.at(block) + sizeof(Message); }
  int slot_class() const { return slot_class_; }

  void depart(std::uint32_t block, std::size_t bytes) {
    Message* m = &message(block);
    // A slot that was hardly used travels in a smaller block: thousands of ranks have millions of them under way.
    if (const int needed = BlockStore::class_of(bytes); needed < m->size_class) {
      const std::uint32_t smaller = fill(m->from, m->to, static_cast<Kind>(m->kind), needed);
      message(smaller).note = m->note;
      std::memcpy(payload(smaller), payload(block), bytes);
      give_block(block);
      block = smaller;
      m = &message(block);
    }
    Seat& s = seat(m->from);
    m->bytes = static_cast<std::uint32_t>(bytes);
    m->level = static_cast<std::uint8_t>(level_between(m->from, m->to));
    charge(s);
    pay(s, m->level);
    m->departs = s.clock;
    m->next = kNoBlock;
    s.idle_polls = 0;
    idle_turns_ = 0;
    if (s.last_departure == kNoBlock) {
      push(events_, {m->departs, number_++, kDeparture, block});
    } else {
      message(s.last_departure).next = block;
    }
    s.last_departure = block;
  }

  // The receiver has read it, or the sender does not want it any more.
  void give_back(std::uint32_t block, double at) {
    const Message m = message(block);
    give_block(block);
    Seat& s = seat(m.from);
    --s.in_flight[m.kind][static_cast<std::size_t>(m.to)];
    if (!s.starved) return;
    s.starved = false;
    wake(m.from, at + cost(m.level).latency_s);
  }

  void wake(Rank rank, double at) {
    Seat& s = seat(rank);
    s.woken = true;
    if (s.waits) wake_by(rank, std::max(at, s.clock));
  }

  int poll(Rank rank, std::span<Packet> packets, TrafficSet wanted) {
    Seat& s = seat(rank);
    charge(s);
    // All that can have arrived by this rank's clock must have been sent.
    if (!events_.empty() && events_.front().time + lookahead_ <= s.clock) park(rank, s.clock);
    std::size_t n = 0;
    double paid = 0;
    for (; n < packets.size(); ++n) {
      auto* heap = next_arrivals(s, wanted);
      if (!heap || heap->front().time > s.clock) break;
      const std::uint32_t block = pop(*heap).block;
      const Message& m = message(block);
      constexpr Packet::What kWhat[kKinds] = {Packet::What::bulk, Packet::What::message, Packet::What::control};
      packets[n] = {payload(block), m.bytes, m.from, block, kWhat[m.kind], m.note, 0};
      const double half = cost(m.level).overhead_s / 2;
      paid += half;
      (m.level == 0 ? s.spent.intra : s.spent.inter) += half;
    }
    s.clock += paid;
    if (n > 0) {
      s.idle_polls = 0;
    } else {
      note_idle_look(rank);
    }
    return static_cast<int>(n);
  }

  bool wait(Rank rank, double timeout_s, TrafficSet wanted) {
    Seat& s = seat(rank);
    charge(s);
    const auto* heap = next_arrivals(s, wanted);
    const double next = heap ? heap->front().time : kNever;
    if (std::exchange(s.woken, false) || next <= s.clock) {
      note_idle_look(rank);
      return true;
    }
    s.idle_polls = 0;
    if (!broken_.empty() && next == kNever) throw TransportError(broken_text(rank));
    const double began = s.clock;
    s.waits = true;
    s.wanted = wanted;
    s.wake_at = kNever;
    wake_by(rank, std::min(next, s.clock + timeout_s));
    suspend(s);
    s.waits = false;
    heap = next_arrivals(s, wanted);
    const bool here = heap && heap->front().time <= s.wake_at;
    const bool woken = std::exchange(s.woken, false);
    if (s.wake_at == kNever) throw TransportError(broken_text(rank));
    s.clock = std::max(began, s.wake_at);
    const double under_way = here ? s.clock - std::max(began, message(heap->front().block).departs) : 0;
    if (here) (message(heap->front().block).level == 0 ? s.spent.intra : s.spent.inter) += under_way;
    s.spent.stall += s.clock - began - under_way;
    return here || woken;
  }

  void end_job(std::string why) {
    if (broken_.empty()) broken_ = std::move(why);
  }

  // ---- the loop itself ----

  void run(const std::function<void(Rank)>& f) {
    for (Rank r = 0; r < ranks_; ++r) {
      seat(r).fiber = std::make_unique<Fiber>([this, r, &f] {
        try {
          f(r);
        } catch (...) {
          seat(r).error = std::current_exception();
          if (failed_ < 0) failed_ = r;
        }
      });
      seat(r).wake_at = 0;
      push(events_, {0, number_++, r, seat(r).wakes});
    }
    for (Rank left = ranks_; left > 0;) {
      if (events_.empty()) {
        left -= break_off();
        continue;
      }
      const Event e = pop(events_);
      // Messages are met in the order of time, which is any order in memory: fetched one event ahead.
      for (std::size_t i = 0; i < std::min<std::size_t>(3, events_.size()); ++i)
        if (events_[i].rank == kDeparture) __builtin_prefetch(blocks_.at(events_[i].what));
      if (e.rank == kDeparture) {
        carry(e.what);
      } else if (Seat& s = seat(e.rank); e.what == s.wakes && !s.ended) {
        if (!s.arrivals[kBulk].empty()) {
          const std::byte* message = blocks_.at(s.arrivals[kBulk].front().block);
          __builtin_prefetch(message);
          __builtin_prefetch(message + sizeof(Message));
        }
        left -= turn(e.rank);
        if (++idle_turns_ >= kIdleTurns) watch_idleness();
      }
    }
    if (failed_ >= 0) std::rethrow_exception(seat(failed_).error);
  }

 private:
  void number_domains(const Domain& d, int level, std::vector<int> around, std::vector<int>& domains) {
    around.push_back(domains[static_cast<std::size_t>(level)]++);
    for (const Domain& c : d.children) number_domains(c, level - 1, around, domains);
    for (const Rank r : d.ranks)
      for (int l = 0; l < depth_; ++l)
        domain_[static_cast<std::size_t>(r * depth_ + l)] = around[static_cast<std::size_t>(depth_ - 1 - l)];
  }
  const int* domains_of(Rank r) const { return domain_.data() + static_cast<std::ptrdiff_t>(r) * depth_; }

  std::uint32_t fill(Rank from, Rank to, Kind kind, int size_class) {
    const std::uint32_t block = blocks_.take(size_class);
    Message& m = *new (blocks_.at(block)) Message;
    m.from = from;
    m.to = to;
    m.kind = kind;
    m.size_class = static_cast<std::uint8_t>(size_class);
    seat(from).held_bytes += BlockStore::kHead + BlockStore::capacity(size_class);
    return block;
  }
  void give_block(std::uint32_t block) {
    const Message& m = message(block);
    const int size_class = m.size_class;
    seat(m.from).held_bytes -= BlockStore::kHead + BlockStore::capacity(size_class);
    blocks_.give_back(block, size_class);
  }

  void pay(Seat& s, int level) {
    const double half = cost(level).overhead_s / 2;
    s.clock += half;
    (level == 0 ? s.spent.intra : s.spent.inter) += half;
  }

  static std::vector<Arrival>* next_arrivals(Seat& s, TrafficSet wanted) {
    std::vector<Arrival>* first = nullptr;
    for (int k = 0; k < kKinds; ++k) {
      auto& heap = s.arrivals[static_cast<std::size_t>(k)];
      if ((wanted & kTrafficOf[k]) == 0 || heap.empty()) continue;
      if (!first || Later()(first->front(), heap.front())) first = &heap;
    }
    return first;
  }

  // The message at the head of its sender's departures leaves.
  void carry(std::uint32_t block) {
    const Message& m = message(block);
    if (m.next == kNoBlock) {
      seat(m.from).last_departure = kNoBlock;
    } else {
      push(events_, {message(m.next).departs, number_++, kDeparture, m.next});
    }
    const int* from = domains_of(m.from);
    const int* to = domains_of(m.to);
    const auto links = [&](auto&& f) {
      f(out_[0][static_cast<std::size_t>(m.from)], 0);
      f(in_[0][static_cast<std::size_t>(m.to)], 0);
      for (std::size_t l = 1; l <= m.level; ++l) {
        f(out_[l][static_cast<std::size_t>(from[l - 1])], static_cast<int>(l));
        f(in_[l][static_cast<std::size_t>(to[l - 1])], static_cast<int>(l));
      }
    };
    double start = m.departs, least = kNever;
    links([&](const double& busy_until, int level) {
      start = std::max(start, busy_until);
      least = std::min(least, cost(level).bytes_per_second);
    });
    const auto bytes = static_cast<double>(m.bytes);
    links([&](double& busy_until, int level) { busy_until = start + bytes / cost(level).bytes_per_second; });
    const double arrives = start + cost(m.level).latency_s + bytes / least;

    LevelTraffic& traffic = traffic_[m.level];
    ++(m.kind == kBulk ? traffic.bulk : traffic.small);
    (m.kind == kBulk ? traffic.bulk_bytes : traffic.small_bytes) += m.bytes;

    Seat& there = seat(m.to);
    push(there.arrivals[m.kind], {arrives, number_++, block});
    if (there.waits && (there.wanted & kTrafficOf[m.kind]) != 0) wake_by(m.to, arrives);
  }

  // A rank that waits goes on at `time` at the latest.
  void wake_by(Rank rank, double time) {
    Seat& s = seat(rank);
    if (time >= s.wake_at) return;
    s.wake_at = time;
    push(events_, {time, number_++, rank, ++s.wakes});
  }

  // Whoever looks again and again without waiting, or waits for what it does not take, would stop time for all.
  void note_idle_look(Rank rank) {
    Seat& s = seat(rank);
    if (++s.idle_polls <= kIdlePolls) return;
    const double until = std::max(s.clock + kPoll_s, events_.empty() ? 0 : events_.front().time);
    s.spent.stall += until - s.clock;
    s.clock = until;
    park(rank, until);
    if (!broken_.empty()) throw TransportError(broken_text(rank));
  }

  // Lets all that comes before `time` happen.
  void park(Rank rank, double time) {
    Seat& s = seat(rank);
    push(events_, {time, number_++, rank, ++s.wakes});
    suspend(s);
  }

  void suspend(Seat& s) {
    s.fiber->suspend();
    if (options_.compute_scale > 0) s.computed_at = processor_seconds();
  }

  // 1 if the rank has ended with it.
  Rank turn(Rank rank) {
    Seat& s = seat(rank);
    if (options_.compute_scale > 0) s.computed_at = processor_seconds();
    s.fiber->resume();
    if (!s.fiber->ended()) return 0;
    s.ended = true;
    s.fiber.reset();  // its stack too
    return 1;
  }

  // Nothing will ever happen: every rank that is left is told, and goes on to its end. Returns how many got there.
  Rank break_off() {
    if (broken_.empty()) broken_ = describe_deadlock();
    Rank ended = 0;
    for (Rank r = 0; r < ranks_; ++r)
      if (!seat(r).ended && events_.empty()) ended += turn(r);
    return ended;
  }

  void watch_idleness() {
    if (idle_turns_ == kIdleTurns) idle_since_.lap();
    if (idle_since_.seconds() < kIdle_s) return;
    if (broken_.empty()) broken_ = describe_deadlock();
  }

  std::string describe_deadlock() const {
    if (failed_ >= 0) return fmt::format("rank {} stopped with an error", failed_);
    struct Group {
      std::string ranks;
      int count = 0;
    };
    std::map<std::string, Group> groups;
    constexpr int kNamed = 8;
    for (Rank r = 0; r < ranks_; ++r) {
      const Seat& s = seat(r);
      Group& g = groups[s.ended       ? "ended"
                        : s.operation ? fmt::format("waiting in '{}'", s.operation)
                                      : std::string("waiting")];
      if (++g.count <= kNamed) g.ranks += fmt::format(" {}", r);
    }
    std::string text = "all ranks wait and no message is under way";
    for (const auto& [what, g] : groups)
      text += fmt::format("; {}: rank{}{}", what, g.ranks,
                          g.count > kNamed ? fmt::format(" and {} more", g.count - kNamed) : "");
    return text;
  }

  std::string broken_text(Rank rank) const {
    const Seat& s = seat(rank);
    return fmt::format("{} (rank {} was waiting in '{}'). {}", broken_, rank, s.operation ? s.operation : "wait",
                       failed_ >= 0 ? "Look at that rank's own messages."
                                    : "Look for a message that is not sent, or a collective that some do not enter.");
  }

  const LevelsOptions options_;
  const int depth_;
  const Rank ranks_;
  int slot_class_ = 0;
  double lookahead_ = 0;  // nothing that is sent from now on arrives earlier than this
  BlockStore blocks_;
  std::vector<Seat> seats_;
  std::vector<int> domain_;                    // [rank * depth + level]
  std::vector<std::vector<double>> out_, in_;  // busy until; [0][rank], [level][domain one level below]
  std::vector<LevelTraffic> traffic_;
  std::vector<Event> events_;
  std::uint64_t number_ = 0;
  std::string broken_;            // why nobody will be helped any more
  Rank failed_ = -1;              // the first that has thrown
  std::uint64_t idle_turns_ = 0;  // since a message was last sent
  Timer idle_since_;
};

// ---- the fabric -----------------------------------------------------------------------------------------------------

namespace {

class LevelsFabric final : public Fabric {
 public:
  LevelsFabric(Levels::Loop& loop, Rank rank) : loop_(loop), rank_(rank) {}

  std::string_view name() const override { return "levels"; }
  Rank rank() const override { return rank_; }
  Rank size() const override { return loop_.ranks(); }
  int node_of(Rank rank) const override { return loop_.options().hierarchy.leaf_of(rank); }
  std::size_t slot_bytes() const override { return loop_.options().slot_bytes; }
  std::size_t message_bytes() const override { return loop_.options().message_bytes; }
  std::size_t memory_bytes() const override { return loop_.seat(rank_).held_bytes; }
  bool is_virtual() const override { return true; }
  double now() override {
    loop_.charge(loop_.seat(rank_));
    return loop_.seat(rank_).clock;
  }

  Busy acquire(Rank to, Slot& slot) override {
    Busy busy = Busy::no;
    const std::uint32_t block = loop_.take(rank_, to, kBulk, loop_.slot_class(), busy);
    if (busy == Busy::no) slot = {loop_.payload(block), slot_bytes(), to, block};
    return busy;
  }
  void publish(const Slot& slot, std::size_t bytes) override {
    ATOLL_ASSERT(bytes > 0 && bytes <= slot.capacity);
    loop_.depart(slot.ticket, bytes);
  }
  void abandon(const Slot& slot) override { loop_.give_back(slot.ticket, loop_.seat(rank_).clock); }

  Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) override {
    Busy busy = Busy::no;
    const Kind kind = traffic == Traffic::control ? kControl : kMessage;
    const std::uint32_t block = loop_.take(rank_, to, kind, BlockStore::class_of(bytes.size()), busy);
    if (busy != Busy::no) return busy;
    loop_.message(block).note = note;
    if (!bytes.empty()) std::memcpy(loop_.payload(block), bytes.data(), bytes.size());
    loop_.depart(block, bytes.size());
    return Busy::no;
  }

  bool can_put(Rank) const override { return false; }
  Busy expose(Rank, std::span<std::byte>, std::uint64_t, Landing&) override { return Busy::no_memory; }
  Busy put(Rank, const Landing&, std::span<const std::byte>, std::uint64_t) override { return Busy::no_memory; }

  int poll(std::span<Packet> packets, TrafficSet wanted) override { return loop_.poll(rank_, packets, wanted); }
  void release(const Packet& packet) override { loop_.give_back(packet.ticket, loop_.seat(rank_).clock); }
  bool wait(double timeout_s, TrafficSet wanted) override { return loop_.wait(rank_, timeout_s, wanted); }
  void wake() override { loop_.wake(rank_, loop_.seat(rank_).clock); }

  void abort(int) noexcept override { loop_.end_job(fmt::format("rank {} has aborted the job", rank_)); }
  void close() override {}

 private:
  Levels::Loop& loop_;
  const Rank rank_;
};

}  // namespace

Levels::Levels(LevelsOptions options) : loop_(std::make_unique<Loop>(std::move(options))) {}
Levels::~Levels() = default;
std::unique_ptr<Fabric> Levels::fabric(Rank rank) { return std::make_unique<LevelsFabric>(*loop_, rank); }
void Levels::run(const std::function<void(Rank)>& f) { loop_->run(f); }
void Levels::note_wait(Rank rank, const char* operation) { loop_->seat(rank).operation = operation; }
double Levels::clock(Rank rank) const { return loop_->seat(rank).clock; }
const TimeSpent& Levels::spent(Rank rank) const { return loop_->seat(rank).spent; }
const std::vector<LevelTraffic>& Levels::traffic() const { return loop_->traffic(); }
std::size_t Levels::memory_bytes() const { return loop_->memory_bytes(); }

double Levels::seconds() const {
  double latest = 0;
  for (Rank r = 0; r < loop_->ranks(); ++r) latest = std::max(latest, clock(r));
  return latest;
}

}  // namespace atl
