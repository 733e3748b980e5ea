// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/transport/simulation/event_clock.hpp>
#include <cstring>
#include <ctime>
#include <map>

namespace atl {
namespace {

// After this many unsuccessful polls without a wait in between, time advances to the next event, at least by kPoll_s.
constexpr int kIdlePolls = 8;
constexpr double kPoll_s = 1e-7;
// Ranks that poll and time out for ever do not look like a deadlock. This many switches and real seconds without any
// message sent count as one.
constexpr std::uint64_t kIdleTurns = 1'000'000;
constexpr double kIdle_s = 10;

constexpr TrafficSet kTrafficOf[EventClock::kKinds] = {static_cast<TrafficSet>(Traffic::bulk),
                                                       static_cast<TrafficSet>(Traffic::message),
                                                       static_cast<TrafficSet>(Traffic::control)};

// Reverses the order for std's heaps, whose top is the greatest.
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

EventClock::EventClock(ClockOptions options)
    : options_(checked(std::move(options))),
      depth_(options_.hierarchy.depth()),
      ranks_(options_.hierarchy.size()),
      domains_(options_.hierarchy) {
  lookahead_ = kNever;
  for (int l = 0; l < depth_; ++l) lookahead_ = std::min(lookahead_, cost(l).latency_s);
  slot_class_ = SizeClassPool::class_of(options_.slot_bytes);
  states_ = std::vector<RankState>(static_cast<std::size_t>(ranks_));
  traffic_.resize(static_cast<std::size_t>(depth_));
}

double EventClock::seconds() const {
  double latest = 0;
  for (const RankState& s : states_) latest = std::max(latest, s.clock);
  return latest;
}

std::size_t EventClock::memory_bytes() const {
  std::size_t bytes = blocks_.bytes() + states_.size() * sizeof(RankState) + domains_.memory_bytes();
  for (const RankState& s : states_) {
    for (const auto& a : s.arrivals) bytes += a.capacity() * sizeof(Arrival);
    for (const auto& f : s.in_flight) bytes += f.capacity();
  }
  return bytes;
}

// ---- calls of a rank, in its context --------------------------------------------------------------------------------

double EventClock::now(Rank rank) {
  charge(state(rank));
  return state(rank).clock;
}

// Charges the computation since the last call, if it takes time.
void EventClock::charge(RankState& s) {
  if (options_.compute_scale == 0) return;
  const double now = processor_seconds(), mine = (now - s.computed_at) * options_.compute_scale;
  s.computed_at = now;
  s.clock += mine;
  s.spent.compute += mine;
}

void EventClock::spend(Rank rank, double seconds, double TimeSpent::*part) {
  RankState& s = state(rank);
  charge(s);
  s.clock += seconds;
  s.spent.*part += seconds;
  s.idle_polls = 0;
}

void EventClock::pay(RankState& s, int level) {
  const double half = cost(level).overhead_s / 2;
  s.clock += half;
  (level == 0 ? s.spent.intra : s.spent.inter) += half;
}

std::uint32_t EventClock::fill(Rank from, Rank to, Kind kind, int size_class) {
  const std::uint32_t block = blocks_.take(size_class);
  Message& m = *new (blocks_.at(block)) Message;
  m.from = from;
  m.to = to;
  m.kind = kind;
  m.size_class = static_cast<std::uint8_t>(size_class);
  state(from).held_bytes += SizeClassPool::kHead + SizeClassPool::capacity(size_class);
  return block;
}

void EventClock::give_block(std::uint32_t block) {
  const Message& m = message(block);
  const int size_class = m.size_class;
  state(m.from).held_bytes -= SizeClassPool::kHead + SizeClassPool::capacity(size_class);
  blocks_.give_back(block, size_class);
}

std::uint32_t EventClock::take(Rank from, Rank to, Kind kind, int size_class, int most, Busy& busy) {
  RankState& s = state(from);
  auto& in_flight = s.in_flight[kind];
  if (in_flight.empty()) in_flight.resize(static_cast<std::size_t>(ranks_));
  std::uint8_t& n = in_flight[to];
  if (n >= most) {
    s.starved = true;
    busy = Busy::no_slot;
    return kNoBlock;
  }
  ++n;
  const std::uint32_t block = fill(from, to, kind, size_class);
  busy = Busy::no;
  return block;
}

void EventClock::depart(std::uint32_t block, std::size_t bytes, std::size_t more) {
  Message* m = &message(block);
  // A hardly filled slot travels in a smaller block, because thousands of ranks have millions of them in flight.
  if (const int needed = SizeClassPool::class_of(bytes); needed < m->size_class) {
    const std::uint32_t smaller = fill(m->from, m->to, static_cast<Kind>(m->kind), needed);
    message(smaller).note = m->note;
    std::memcpy(payload(smaller), payload(block), bytes);
    give_block(block);
    block = smaller;
    m = &message(block);
  }
  RankState& s = state(m->from);
  m->bytes = static_cast<std::uint32_t>(bytes);
  m->travel = bytes + more;
  m->level = static_cast<std::uint8_t>(domains_.level_between(m->from, m->to));
  charge(s);
  pay(s, m->level);
  m->departs = s.clock;
  m->timing = s.timing;
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

void EventClock::give_back(std::uint32_t block, double at) {
  const Message m = message(block);
  give_block(block);
  RankState& s = state(m.from);
  --s.in_flight[m.kind][m.to];
  if (!s.starved) return;
  s.starved = false;
  wake(m.from, at + cost(m.level).latency_s);
}

void EventClock::wake(Rank rank, double at) {
  RankState& s = state(rank);
  s.woken = true;
  if (s.waits) wake_by(rank, std::max(at, s.clock));
}

std::vector<EventClock::Arrival>* EventClock::next_arrivals(RankState& s, TrafficSet wanted) {
  std::vector<Arrival>* first = nullptr;
  for (int k = 0; k < kKinds; ++k) {
    auto& heap = s.arrivals[k];
    if ((wanted & kTrafficOf[k]) == 0 || heap.empty()) continue;
    if (!first || Later()(first->front(), heap.front())) first = &heap;
  }
  return first;
}

int EventClock::poll(Rank rank, std::span<Packet> packets, TrafficSet wanted) {
  RankState& s = state(rank);
  charge(s);
  // First let everything be sent that can arrive by this rank's clock.
  const double earliest = std::min(earliest_under_way(), events_.empty() ? kNever : next_time());
  if (earliest + lookahead_ <= s.clock) park(rank, s.clock);
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

bool EventClock::wait(Rank rank, double timeout_s, TrafficSet wanted) {
  RankState& s = state(rank);
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
  switch_out(rank);
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

void EventClock::end_job(std::string why) {
  if (broken_.empty()) broken_ = std::move(why);
}

// Wakes a waiting rank at `time` at the latest.
void EventClock::wake_by(Rank rank, double time) {
  RankState& s = state(rank);
  if (time >= s.wake_at) return;
  s.wake_at = time;
  push(events_, {time, number_++, rank, ++s.wakes});
}

// A rank that polls repeatedly without waiting, or waits for traffic it does not take, would stop time for all ranks.
void EventClock::note_idle_look(Rank rank) {
  RankState& s = state(rank);
  if (++s.idle_polls <= kIdlePolls) return;
  const double until = std::max(s.clock + kPoll_s, events_.empty() ? 0 : events_.front().time);
  s.spent.stall += until - s.clock;
  s.clock = until;
  park(rank, until);
  if (!broken_.empty()) throw TransportError(broken_text(rank));
}

// Processes all events before `time`.
void EventClock::park(Rank rank, double time) {
  RankState& s = state(rank);
  push(events_, {time, number_++, rank, ++s.wakes});
  switch_out(rank);
}

void EventClock::switch_out(Rank rank) {
  suspend(rank);
  if (options_.compute_scale > 0) state(rank).computed_at = processor_seconds();
}

void EventClock::live(Rank rank, const std::function<void(Rank)>& f) {
  if (options_.compute_scale > 0) state(rank).computed_at = processor_seconds();
  try {
    f(rank);
  } catch (...) {
    state(rank).error = std::current_exception();
    if (failed_ < 0) failed_ = rank;
  }
  state(rank).ended = true;
  ++ended_;
}

// ---- events ---------------------------------------------------------------------------------------------------------

void EventClock::start(Rank rank) {
  state(rank).wake_at = 0;
  push(events_, {0, number_++, rank, state(rank).wakes});
}

void EventClock::step() {
  const Event e = pop(events_);
  // Messages are processed in time order, which is random in memory: prefetch one event ahead.
  for (std::size_t i = 0; i < std::min<std::size_t>(3, events_.size()); ++i)
    if (events_[i].rank == kDeparture) __builtin_prefetch(blocks_.at(events_[i].what));
  if (e.rank == kDeparture) return leave(e.what);
  if (e.rank == kCrossing) return cross(e.what);
  RankState& s = state(e.rank);
  if (e.what != s.wakes || s.ended) return;
  if (!s.arrivals[kBulk].empty()) {
    const std::byte* first = blocks_.at(s.arrivals[kBulk].front().block);
    __builtin_prefetch(first);
    __builtin_prefetch(first + sizeof(Message));
  }
  resume(e.rank);
  if (++idle_turns_ >= kIdleTurns) watch_idleness();
}

// Sends the first of its sender's departing messages.
void EventClock::leave(std::uint32_t block) {
  const Message& m = message(block);
  if (m.next == kNoBlock) {
    state(m.from).last_departure = kNoBlock;
  } else {
    push(events_, {message(m.next).departs, number_++, kDeparture, m.next});
  }
  LevelTraffic& traffic = traffic_[m.level];
  ++(m.kind == kBulk ? traffic.bulk : traffic.small);
  (m.kind == kBulk ? traffic.bulk_bytes : traffic.small_bytes) += m.travel;
  carry(block);
}

void EventClock::cross_at(std::uint32_t block, double time) { push(events_, {time, number_++, kCrossing, block}); }

void EventClock::arrive(std::uint32_t block, double time) {
  const Message& m = message(block);
  RankState& there = state(m.to);
  push(there.arrivals[m.kind], {time, number_++, block});
  if (there.waits && (there.wanted & kTrafficOf[m.kind]) != 0) wake_by(m.to, time);
}

// ---- deadlock -------------------------------------------------------------------------------------------------------

void EventClock::break_off() {
  if (broken_.empty()) broken_ = describe_deadlock();
  for (Rank r = 0; r < ranks_; ++r)
    if (!state(r).ended) return resume(r);
}

void EventClock::rethrow_first_error() {
  if (failed_ >= 0) std::rethrow_exception(state(failed_).error);
}

void EventClock::watch_idleness() {
  if (idle_turns_ == kIdleTurns) idle_since_.lap();
  if (idle_since_.seconds() < kIdle_s) return;
  if (broken_.empty()) broken_ = describe_deadlock();
}

std::string EventClock::describe_deadlock() const {
  if (failed_ >= 0) return fmt::format("rank {} stopped with an error", failed_);
  struct Group {
    std::string ranks;
    int count = 0;
  };
  std::map<std::string, Group> groups;
  constexpr int kNamed = 8;
  for (Rank r = 0; r < ranks_; ++r) {
    const RankState& s = state(r);
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

std::string EventClock::broken_text(Rank rank) const {
  const RankState& s = state(rank);
  return fmt::format("{} (rank {} was waiting in '{}'). {}", broken_, rank, s.operation ? s.operation : "wait",
                     failed_ >= 0 ? "Look at that rank's own messages."
                                  : "Look for a message that is not sent, or a collective that some do not enter.");
}

}  // namespace atl
