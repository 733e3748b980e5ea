// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/runtime/collectives.hpp>
#include <atoll/runtime/counters.hpp>
#include <atoll/runtime/plan.hpp>
#include <atoll/runtime/routes/savings.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <atoll/topology/machine.hpp>
#include <atoll/transport/fabric.hpp>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

/// The ranks of a job, seen from one of them: who I am, how to reach the others, my threads, my counters.
///
///     run_ranks(4, plan, [](World& world) {                  // ranks as threads of this process
///       const Vertex all = world.sum(Vertex{world.rank()});  // collective
///     });
///
/// Collectives are called by every rank, in the same order, outside team regions. A rank must not throw past one:
/// validate locally, then agree() or collective_try(): every rank throws the same error.
namespace atl {

class FlowControl;
class HopList;
class Route;
class RouteModel;
struct SlotRule;

class World : public Collectives {
 public:
  /// Called while a rank waits. Returns a sentence that names a lost peer, if there is one.
  using LostPeer = std::function<std::optional<std::string>()>;
  struct Options {
    Log log;
    /// Receives warnings that concern the whole job and that only one rank has noticed. It is called on any rank, also
    /// where `log` is silent. Any thread.
    Log alarm;
    LostPeer lost_peer;
    /// Called with the name of an operation when this rank begins to wait for it and the wait is not over at once. Any
    /// thread.
    std::function<void(const char* operation)> waiting;
    /// The machine; none: that of Plan::platform.
    std::optional<Machine> machine;
  };

  World(std::unique_ptr<Fabric> fabric, Plan plan, Hierarchy hierarchy, Options options = {});
  ~World();  // never collective
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  /// Whether a communication thread runs. Its number is the last of thread_slots().
  bool has_communication_thread() const;
  /// A World of one rank in this process.
  static std::unique_ptr<World> alone(Plan plan = {}, Options options = {});

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  const Plan& plan() const { return plan_; }
  /// The savings of exchanges, by Plan::route and Plan::without.
  const Savings& savings() const { return savings_; }
  const Hierarchy& hierarchy() const { return hierarchy_; }
  /// The machine: costs of messages on each level of the hierarchy, and what else is known of it.
  const Machine& machine() const { return machine_; }
  /// How records travel between ranks, by Plan::route; "domain" if that is "auto".
  const Route& route() const;
  /// If Plan::monitors is "heavy": mailboxes made from here on prefer ranks of great weight as monitors. Collective.
  void prefer_monitors(std::int64_t weight);
  /// Whether each exchange takes the route of the least predicted cost (Plan::route is "auto").
  bool chooses_routes() const { return plan_.route == "auto" && hierarchy_.depth() > 1; }
  /// The routes among which each exchange chooses: several if the plan's route is "auto", or "domain" with spread
  /// monitors, of which a pair of domains may have one or several.
  std::span<const std::string_view> route_choices() const;
  const RouteModel& route_model() const;
  const SlotRule& slot_rule() const;
  /// Whether votes go up and down the tree of domains, as records do on routes of several hops.
  bool votes_by_tree() const { return votes_by_tree_; }
  /// If routes are chosen, votes follow the route of the latest exchange. Collective by order.
  void vote_by_tree(bool by_tree) { votes_by_tree_ = by_tree; }
  Team& team() { return team_; }
  Fabric& fabric() { return *fabric_; }
  const Log& log() const { return options_.log; }
  /// This rank's clock in seconds; virtual if the fabric simulates time. Algorithms time themselves by it (RankTimer).
  double now() const { return fabric_->now(); }
  /// Advances a virtual clock by the time of a computation that is modelled only.
  void compute(double seconds) { fabric_->compute(seconds); }

  /// Every rank throws the InputError `message` of the lowest rank where ok is false. Collective.
  void agree(bool ok, const std::string& message);
  /// Runs f on every rank. If it throws on any rank, every rank throws the error of the lowest such rank, with its
  /// class. Returns f's value. Collective.
  template <class F>
  auto collective_try(F&& f);

  /// Whether agree() or collective_try() has thrown: then every rank has the same error, and one report is enough.
  bool has_agreed_error() const { return agreed_error_; }

  /// Sum of this rank's counters over its threads.
  Counters counters() const;
  /// Counters::wait_seconds so far.
  double waited_seconds() const {
    double sum = 0;
    for (const auto& t : threads_) sum += t.counters.wait_seconds;
    return sum;
  }

  /// Keeps this rank's traffic from here on, up to so many bytes; before mailboxes are made (runtime/traffic).
  void keep_traffic(std::size_t most_bytes);
  /// Where it is kept; null if it is not.
  TrafficLog* traffic() const { return traffic_; }

  /// Collective; the last call. Destroying a World without it, after an exception, does not involve the peers.
  void close();

  /// The one object of this type that all who use this World share: a T(World&), made by the first call. Collective by
  /// order if its constructor is.
  template <class T>
  std::shared_ptr<T> shared() {
    std::shared_ptr<void>& place = shared_place(typeid(T));
    if (!place) place = std::make_shared<T>(*this);
    return std::static_pointer_cast<T>(place);
  }

  // Building blocks of mailboxes and collectives.

  /// `stamp` is what the sender gave publish().
  using Deliver = void (*)(void* context, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes);
  /// A channel receives all packets that its peers publish under the same number. Numbers count up, so opening is
  /// collective by order, like a declaration. Packets that arrive before the channel is open wait for it. With a
  /// communication thread, that thread delivers packets of channels that run on_any_thread. Packets of other channels
  /// wait for a thread of the team.
  enum class Runs : bool { on_the_team, on_any_thread };
  std::uint32_t open_channel(Deliver deliver, void* context, Runs runs = Runs::on_the_team);
  void close_channel(std::uint32_t channel);

  /// A slot's header, and its payload behind it. Records lie 16-byte aligned behind the header.
  static constexpr std::size_t kHeaderBytes = 16;
  std::size_t payload_bytes() const { return fabric_->slot_bytes() - kHeaderBytes; }
  /// How long the caller holds a slot: it publishes it at once, or uses it as a send buffer, which may never fill.
  enum class Hold { briefly, as_send_buffer };
  /// Acquires a slot towards `to`, or returns why there is none, and counts that. slot.data is where the payload
  /// starts. Send buffers may hold all slots of a peer but one, so a thread that wants to send a full block never waits
  /// for a buffer that nobody fills.
  Busy acquire(Rank to, Slot& slot, Hold hold = Hold::briefly);
  /// The same for a relay, which has few peers and therefore longer slots (SlotRule).
  Busy acquire_long(Rank to, const LongSlots& slots, Slot& slot);
  void publish(std::uint32_t channel, const Slot& slot, std::size_t payload_bytes, Hold hold = Hold::briefly,
               std::uint32_t stamp = 0) {
    publish_for(channel, slot, payload_bytes, 0, hold, stamp);
  }
  /// Publishes a slot that stands for `more` bytes than it holds; see Fabric::publish_for.
  void publish_for(std::uint32_t channel, const Slot& slot, std::size_t payload_bytes, std::size_t more,
                   Hold hold = Hold::briefly, std::uint32_t stamp = 0);
  /// Counts bytes that this rank has written directly into memory of `to`.
  void count_in_place(Rank to, std::size_t bytes);
  void abandon(const Slot& slot, Hold hold = Hold::briefly);

  /// The answer of a sink to a message, a control packet or the end of a put: it has read it; it will release it later;
  /// it has no capacity now and wants it again. The upper half of a note's type is the number that open_messages()
  /// gave.
  enum class Taken { done, kept, no };
  struct MessageSink {
    void* context = nullptr;
    Taken (*take)(void* context, const Packet& packet) = nullptr;
    bool (*pump)(void* context) = nullptr;  ///< retries what could not be sent before; true if something went
    std::string (*describe)(void* context) = nullptr;
    bool control_only = false;  ///< it gets no messages, so nobody has to poll for any
  };
  /// Collective by order, like a declaration. Messages for a closed sink are released unread.
  int open_messages(const MessageSink& sink);
  void close_messages(int number);
  /// Delivers a message taken from a ring. false: its sink has no capacity or is not open yet; put the message back.
  bool deliver_message(const Packet& packet);
  /// Call it when a send was refused. If nothing has moved for Plan::stall_seconds, it warns once, with the depths of
  /// all queues. Throws TransportError if a peer is lost or silent.
  void note_refusal(const char* what, Rank to);

  /// Receives packets that have arrived and runs their handlers; true if there was one. Any thread.
  bool progress();
  /// Whether the messages of all peers arrive through rings in shared memory.
  bool all_near() const { return all_near_; }
  /// The threads that may call this World: the team's and the communication thread.
  int thread_slots() const { return team_.size() + 1; }
  /// Makes progress until done(). `what` names the wait in stall reports; waits whose name starts with "send" count as
  /// stalls (TimeSpent). Throws TransportError if a peer is lost or silent (Plan::timeout_seconds).
  template <class Done>
  void wait_until(const char* what, Done&& done) {
    wait_until(what, done, [this] { return progress(); });
  }
  /// The same with a progress function of the caller's, which calls progress() and returns whether anything has moved.
  template <class Done, class Progress>
  void wait_until(const char* what, Done&& done, Progress&& progress);

  /// The state of one thread, on its own cache lines.
  struct alignas(128) ThreadState {
    std::uint32_t refusals = 0;
    int arrived_level = -1;  ///< level of the last packet that this thread received since it began to wait; -1: none
    TimeSpent waited;        ///< compute stays 0
    int handlers = 0;        ///< handlers on this thread's stack; while there is one, sends never wait
    Counters counters;
  };
  ThreadState& thread_state() { return threads_[Team::this_thread()]; }
  /// This rank's part of a route. Collective at the first call for each route.
  const HopList& hops(std::string_view route);
  /// Flow control between the relays of different ranks, for routes of several hops.
  FlowControl& flow();
  /// The bytes of memory that one relay may use: the budget divided equally among the open relays.
  std::size_t relay_budget() const;
  int level_to(Rank to) const { return level_to_[to]; }
  /// Adds to the communication memory counted for this rank; `bytes` may be negative.
  void note_memory(std::ptrdiff_t bytes);

 private:
  /// The clock of one wait: reports a stall once, and notices lost peers and time-outs.
  class Watch {
   public:
    Watch(World& world, const char* what) : world_(world), what_(what) {}
    ~Watch();
    void progressed();
    void idle();

   private:
    void charge();
    World& world_;
    const char* what_;
    Backoff backoff_;
    double since_ = -1, checked_ = 0;
    double began_ = -1, idle_since_ = -1;
    std::uint64_t moved_ = 0;
    bool reported_ = false;
  };

  std::shared_ptr<void>& shared_place(std::type_index type);
  Busy behind_header(Busy busy, Slot& slot);
  void agree_on(int kind, const std::string& message);
  /// Throws TransportError if a peer is lost or silent.
  void check_peers(const char* what);

  std::unique_ptr<Fabric> fabric_;
  const Plan plan_;
  const Savings savings_;
  const Hierarchy hierarchy_;
  Options options_;
  const Rank rank_, size_;
  const double wait_limit_s_;  // of one wait; 0: no limit
  const Machine machine_;
  bool votes_by_tree_;
  const double started_;
  bool agreed_error_ = false;
  Team team_;
  std::vector<int> level_to_;
  std::vector<std::atomic<int>> buffer_slots_to_;  // [rank] slots held by send buffers
  std::vector<ThreadState> threads_;
  // The part that only World's own sources know, so that an edit of a route or a queue recompiles what uses it and no
  // more.
  struct Internals;
  const std::unique_ptr<Internals> internals_;
  const bool all_near_;
  std::atomic<std::ptrdiff_t> memory_{0}, memory_high_{0};
};

/// Like Timer, on the rank's own clock.
class RankTimer {
 public:
  explicit RankTimer(const World& world) : world_(world), start_(world.now()) {}
  double seconds() const { return world_.now() - start_; }
  double lap() {
    const double now = world_.now();
    return now - std::exchange(start_, now);
  }

 private:
  const World& world_;
  double start_;
};

/// Calls f(World&) on each of `ranks` threads. Rethrows the error of the rank that failed first. If a rank throws while
/// others wait for it, they get a TransportError that names it.
void run_ranks(Rank ranks, const Plan& plan, const std::function<void(World&)>& f, World::Options options = {});

// ---------------------------------------------------------------------------------------------------------------------

template <class Done, class Progress>
void World::wait_until(const char* what, Done&& done, Progress&& progress) {
  if (done()) return;
  Watch watch(*this, what);
  while (!done()) {
    if (progress()) {
      watch.progressed();
    } else {
      watch.idle();
    }
  }
}

/// The error classes, in the order of their exit codes, as agree() transmits them.
enum class ErrorKind : int { none, input, usage, io, transport, verification, other };
ErrorKind kind_of(const std::exception& e);

template <class F>
auto World::collective_try(F&& f) {
  using T = std::invoke_result_t<F>;
  int kind = 0;
  std::string message;
  if constexpr (std::is_void_v<T>) {
    try {
      f();
    } catch (const std::exception& e) {
      kind = static_cast<int>(kind_of(e));
      message = e.what();
    }
    agree_on(kind, message);
  } else {
    std::optional<T> value;
    try {
      value.emplace(f());
    } catch (const std::exception& e) {
      kind = static_cast<int>(kind_of(e));
      message = e.what();
    }
    agree_on(kind, message);
    return std::move(*value);
  }
}

}  // namespace atl
