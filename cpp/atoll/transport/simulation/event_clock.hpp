// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/base/timer.hpp>
#include <atoll/transport/bootstrap/domain_index.hpp>
#include <atoll/transport/shared_memory/size_class_pool.hpp>
#include <atoll/transport/virtual_clock.hpp>
#include <exception>
#include <limits>

/// The common base of all virtual clocks: a clock per rank, messages in flight, and events in the order of (time,
/// number), so that runs are reproducible. A rank's clock runs ahead of the events while the rank sends. A rank that
/// polls first lets everything happen that could arrive by its clock. A rank that waits is switched out.
///
///     class Levels : public EventClock {                 // defines how a message travels, and what a rank runs on
///       void carry(std::uint32_t block) override { arrive(block, message(block).departs + latency); }
///       void suspend(Rank) override;  void resume(Rank) override;
///     };
namespace atl {

class EventClock : public VirtualClock {
 public:
  enum Kind : std::uint8_t { kBulk, kMessage, kControl, kKinds };
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kNoBlock = UINT32_MAX;

  /// The header of each block; a slot's or message's payload follows.
  struct alignas(64) Message {
    double departs = 0;
    double front = 0, left = 0;     // when its front and its end passed the last link; free for carry()
    std::uint32_t next = kNoBlock;  ///< the same sender's next message; free for carry()
    std::uint32_t bytes = 0;        // of payload present
    std::uint64_t travel = 0;       // simulated length: more than `bytes` if some are only modelled
    Rank from = -1, to = -1;
    Note note;
    std::uint8_t kind = kBulk, level = 0, size_class = 0;
    SimulatedTiming timing = SimulatedTiming::detailed;
  };
  static_assert(sizeof(Message) == SizeClassPool::kHead);

  std::unique_ptr<Fabric> fabric(Rank rank) override;
  void note_wait(Rank rank, const char* operation) override { state(rank).operation = operation; }
  double seconds() const override;
  double clock(Rank rank) const override { return state(rank).clock; }
  const TimeSpent& spent(Rank rank) const override { return state(rank).spent; }
  const std::vector<LevelTraffic>& traffic() const override { return traffic_; }
  std::size_t memory_bytes() const override;

  // ---- called by a rank's fabric, while that rank runs ----

  virtual std::string_view name() const = 0;
  const ClockOptions& options() const { return options_; }
  Rank ranks() const { return ranks_; }
  int slot_class() const { return slot_class_; }
  std::size_t held_bytes(Rank rank) const { return state(rank).held_bytes; }
  Message& message(std::uint32_t block) { return *reinterpret_cast<Message*>(blocks_.at(block)); }
  std::byte* payload(std::uint32_t block) { return blocks_.at(block) + sizeof(Message); }

  double now(Rank rank);
  void set_timing(Rank rank, SimulatedTiming timing) { state(rank).timing = timing; }
  /// Takes a block for a packet to `to`; sets `busy` if `most` packets of that kind are in flight.
  std::uint32_t take(Rank from, Rank to, Kind kind, int size_class, int most, Busy& busy);
  void depart(std::uint32_t block, std::size_t bytes, std::size_t more = 0);
  void spend(Rank rank, double seconds, double TimeSpent::*part);
  /// The receiver has read the block, or the sender has abandoned it; `at` is that rank's clock.
  void give_back(std::uint32_t block, double at);
  int poll(Rank rank, std::span<Packet> packets, TrafficSet wanted);
  bool wait(Rank rank, double timeout_s, TrafficSet wanted);
  void wake(Rank rank, double at);
  void end_job(std::string why);

 protected:
  struct Event {
    double time;
    std::uint64_t number;
    Rank rank;           // the rank that goes on, or kDeparture or kCrossing
    std::uint32_t what;  // the number of the rank's wake-up, or the block that departs
  };
  static constexpr Rank kDeparture = -1, kCrossing = -2;

  /// Throws InputError.
  explicit EventClock(ClockOptions options);

  // ---- what a derived clock defines ----

  /// The message leaves, at its time of departure; the clock must call arrive() for it eventually.
  virtual void carry(std::uint32_t block) = 0;
  /// Continues a message that carry() has postponed by cross_at().
  virtual void cross(std::uint32_t /*block*/) {}
  /// Called in the rank's context: yields the thread until resume().
  virtual void suspend(Rank rank) = 0;
  /// Lets the rank go on, at once or before time passes.
  virtual void resume(Rank rank) = 0;
  /// No message in flight will arrive earlier than this plus the lookahead.
  virtual double earliest_under_way() const { return kNever; }

  // ---- what a derived clock uses ----

  void arrive(std::uint32_t block, double time);
  void cross_at(std::uint32_t block, double time);
  /// Runs f(rank) to its end, in the rank's context.
  void live(Rank rank, const std::function<void(Rank)>& f);
  /// Schedules the rank's first run, at time 0.
  void start(Rank rank);
  bool all_ended() const { return ended_ == ranks_; }
  bool nothing_ahead() const { return events_.empty() && earliest_under_way() == kNever; }
  bool has_events() const { return !events_.empty(); }
  double next_time() const { return events_.front().time; }
  /// Processes the next event.
  void step();
  /// Deadlock: the next waiting rank gets an error and runs to its end.
  void break_off();
  void rethrow_first_error();

  /// Where the rank sits, see ClockOptions::places.
  Rank place_of(Rank r) const { return options_.places.empty() ? r : options_.places[r]; }
  /// The domains that contain the rank, by level.
  const int* domains_of(Rank r) const { return domains_.of(r); }
  int depth() const { return depth_; }
  /// Calls f(level, direction, number) for each link of the tree of levels that the message uses: direction 0 is out, 1
  /// is in; level 0 has the links of the ranks, level l those of the domains one level below.
  template <class F>
  void for_links(const Message& m, F&& f) const {
    f(0, 0, m.from);
    f(0, 1, m.to);
    for (int l = 1; l <= m.level; ++l) {
      f(l, 0, domains_of(m.from)[l - 1]);
      f(l, 1, domains_of(m.to)[l - 1]);
    }
  }
  /// The number of outgoing links (and of incoming ones) that the tree of levels has at that level.
  int links_at(int level) const { return level == 0 ? ranks_ : domains_.count(level - 1); }
  const LevelCost& cost(int level) const { return options_.costs[level]; }

  /// No message that leaves from now on arrives earlier than this after its departure.
  double lookahead_ = 0;

 private:
  struct Arrival {
    double time;
    std::uint64_t number;
    std::uint32_t block;
  };
  // The state of one rank. Per peer it needs a byte for each kind of traffic; a World needs as much.
  struct RankState {
    double clock = 0;
    TimeSpent spent;
    double computed_at = 0;  // processor time already charged
    std::uint32_t last_departure = kNoBlock;
    std::array<std::vector<Arrival>, kKinds> arrivals;
    std::array<std::vector<std::uint8_t>, kKinds> in_flight;  // [to], from the first send on
    bool waits = false;
    TrafficSet wanted = 0;
    double wake_at = kNever;
    std::uint32_t wakes = 0;
    bool woken = false;    // by wake(), or because capacity is free again
    bool starved = false;  // was refused, and no capacity has become free since
    int idle_polls = 0;
    std::size_t held_bytes = 0;
    const char* operation = nullptr;
    std::exception_ptr error;
    bool ended = false;
    SimulatedTiming timing = SimulatedTiming::detailed;
  };

  RankState& state(Rank r) { return states_[r]; }
  const RankState& state(Rank r) const { return states_[r]; }
  std::uint32_t fill(Rank from, Rank to, Kind kind, int size_class);
  void give_block(std::uint32_t block);
  void charge(RankState& s);
  void pay(RankState& s, int level);
  void leave(std::uint32_t block);
  void wake_by(Rank rank, double time);
  void note_idle_look(Rank rank);
  void park(Rank rank, double time);
  void switch_out(Rank rank);
  void watch_idleness();
  std::string describe_deadlock() const;
  std::string broken_text(Rank rank) const;
  static std::vector<Arrival>* next_arrivals(RankState& s, TrafficSet wanted);

  const ClockOptions options_;
  const int depth_;
  const Rank ranks_;
  int slot_class_ = 0;
  SizeClassPool blocks_;
  std::vector<RankState> states_;
  const DomainIndex domains_;
  std::vector<LevelTraffic> traffic_;
  std::vector<Event> events_;
  std::uint64_t number_ = 0;
  Rank ended_ = 0;
  std::string broken_;            // the deadlock's description; empty: none
  Rank failed_ = -1;              // the first rank that has thrown
  std::uint64_t idle_turns_ = 0;  // since a message was last sent
  Timer idle_since_;
};

}  // namespace atl
