// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/runtime/aggregation/forward_queue.hpp>
#include <atoll/runtime/aggregation/packet_dispatcher.hpp>
#include <atoll/runtime/aggregation/route.hpp>
#include <atoll/runtime/aggregation/route_model.hpp>
#include <atoll/runtime/collectives.hpp>
#include <atoll/runtime/counters.hpp>
#include <atoll/runtime/plan.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <atoll/transport/fabric.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>

/// The ranks of a job, seen from one of them: who I am, how to reach the others, my threads, my counters.
///
///     run_ranks(4, plan, [](World& world) {                  // ranks as threads of this process
///       const Vertex all = world.sum(Vertex{world.rank()});  // collective
///     });
///
/// Collectives are called by every rank, in the same order, outside team regions. A rank must not throw past one:
/// validate locally, then agree() or collective_try(): every rank throws the same error.
namespace atl {

class World : public Collectives {
 public:
  /// Asked while waiting: the sentence that names a peer that is known to be gone.
  using LostPeer = std::function<std::optional<std::string>()>;
  struct Options {
    Log log;
    /// For what concerns the whole job and a single rank has seen, whichever: a sink on each rank, where only rank 0
    /// may have a log. Any thread.
    Log alarm;
    LostPeer lost_peer;
    /// Told what this rank waits for, when a wait begins that is not over at once; any thread.
    std::function<void(const char* operation)> waiting;
    /// What the levels of the hierarchy cost; none: as the plan's platform says.
    std::vector<LinkCost> costs;
  };

  World(std::unique_ptr<Fabric> fabric, Plan plan, Hierarchy hierarchy, Options options = {});
  ~World();  // never collective
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  /// The communication thread's own number among thread_slots() is the last.
  bool has_communication_thread() const { return reception_.has_thread(); }
  /// One rank in this process.
  static std::unique_ptr<World> alone(Plan plan = {}, Options options = {});

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  const Plan& plan() const { return plan_; }
  const Hierarchy& hierarchy() const { return hierarchy_; }
  /// How records travel between ranks, by Plan::route; domain where that is auto.
  const Route& route() const { return *routes_.front(); }
  /// Where the plan's monitors are the heavy ones: mailboxes that are made from here on prefer ranks of great weight.
  /// Collective.
  void prefer_monitors(std::int64_t weight);
  /// Whether each exchange takes the route that costs least for it.
  bool chooses_routes() const { return plan_.route == "auto" && hierarchy_.depth() > 1; }
  const RouteModel& route_model() const { return model_; }
  /// Whether votes go up and down the tree of domains: as records do.
  bool votes_by_tree() const { return votes_by_tree_; }
  /// Where routes are chosen: as the latest exchange's do. Collective by order.
  void vote_by_tree(bool by_tree) { votes_by_tree_ = by_tree; }
  Team& team() { return team_; }
  Fabric& fabric() { return *fabric_; }
  const Log& log() const { return options_.log; }
  /// This rank's clock in seconds; virtual where the fabric is. Algorithms time themselves by it (RankTimer).
  double now() const { return fabric_->now(); }
  /// Lets the time pass in which this rank computes, where its clock is virtual and nothing is computed.
  void compute(double seconds) { fabric_->compute(seconds); }

  /// Every rank throws the InputError `message` of the lowest rank where ok is false. Collective.
  void agree(bool ok, const std::string& message);
  /// Runs f on every rank; if it throws an Error anywhere, every rank throws that of the lowest such rank, with its
  /// class. Returns f's value. Collective.
  template <class F>
  auto collective_try(F&& f);

  /// Whether an error was thrown that every rank has thrown alike: one of them is enough to report it.
  bool has_agreed_error() const { return agreed_error_; }

  /// Sum of this rank's counters over its threads.
  Counters counters() const;
  /// Counters::wait_seconds up to now.
  double waited_seconds() const {
    double sum = 0;
    for (const auto& t : threads_) sum += t.counters.wait_seconds;
    return sum;
  }

  /// Collective; the last call. A World that is destroyed without it (an exception) leaves its peers alone.
  void close();

  // What mailboxes and collectives are made of.

  /// `stamp` is what the sender gave publish().
  using Deliver = Channels::Deliver;
  /// A channel gets all packets that the peers' channel of the same number sends. Numbers count up: collective by
  /// order, like a declaration. Packets that come before it is open wait for it.
  /// With a communication thread, packets of a channel that runs on_any_thread are delivered by it, others wait for
  /// a thread of the team.
  using Runs = Channels::Runs;
  std::uint32_t open_channel(Deliver deliver, void* context, Runs runs = Runs::on_the_team) {
    return reception_.open_channel(deliver, context, runs);
  }
  void close_channel(std::uint32_t channel) { reception_.close_channel(channel); }

  /// Payload of a slot, and where it starts: records lie 16-byte aligned behind the channel number.
  static constexpr std::size_t kHeaderBytes = 16;
  std::size_t payload_bytes() const { return fabric_->slot_bytes() - kHeaderBytes; }
  /// How long a slot is held: until it is filled, which may take for ever (a lane), or published at once.
  enum class Hold { briefly, as_lane };
  /// Slot towards `to`, or the reason why not, counted. slot.data is where the payload starts. Lanes get all slots
  /// of a peer but one: whoever waits to pass on a full buffer never waits for a lane that nobody fills.
  Busy acquire(Rank to, Slot& slot, Hold hold = Hold::briefly);
  void publish(std::uint32_t channel, const Slot& slot, std::size_t payload_bytes, Hold hold = Hold::briefly,
               std::uint32_t stamp = 0) {
    publish_for(channel, slot, payload_bytes, 0, hold, stamp);
  }
  /// Of a slot that stands for `more` bytes than it has; see Fabric::publish_for.
  void publish_for(std::uint32_t channel, const Slot& slot, std::size_t payload_bytes, std::size_t more,
                   Hold hold = Hold::briefly, std::uint32_t stamp = 0);
  /// Counts bytes that this rank has written to memory of `to` itself.
  void count_in_place(Rank to, std::size_t bytes);
  void abandon(const Slot& slot, Hold hold = Hold::briefly);

  using Taken = PacketDispatcher::Taken;
  using MessageSink = PacketDispatcher::MessageSink;
  /// Collective by order, like a declaration. What comes for a sink that is closed is released unread.
  int open_messages(const MessageSink& sink) { return reception_.open_messages(sink); }
  void close_messages(int number) { reception_.close_messages(number); }
  /// Hands over a message that was taken from a ring; false: its sink has no room or is not open yet, put it back.
  bool deliver_message(const Packet& packet) { return reception_.deliver_message(packet); }
  /// A send was refused: if nothing has moved for Plan::stall_seconds, says so once, with the depths of all queues.
  /// Throws TransportError when a peer is lost or silent.
  void note_refusal(const char* what, Rank to);

  /// Takes what has arrived and runs its handlers; true if there was something. Any thread.
  bool progress() { return reception_.progress(); }
  /// Whether messages of all peers come through rings in shared memory.
  bool all_near() const { return reception_.all_near(); }
  /// Threads that may call in: the team's and the communication thread.
  int thread_slots() const { return team_.size() + 1; }
  /// Makes progress until done(); `what` names the wait in the report of a stall. Throws TransportError when a peer is
  /// lost or silent (Plan::timeout_seconds).
  template <class Done>
  void wait_until(const char* what, Done&& done);

  /// Per thread of the team, on cache lines of its own.
  struct alignas(128) ThreadState {
    std::uint32_t refusals = 0;
    int arrived_level = -1;  ///< of the last packet that this thread took since it began to wait
    TimeSpent waited;        ///< compute stays 0
    int handlers = 0;        ///< handlers on this thread's stack: what they send is appended, never waited for
    Counters counters;
  };
  ThreadState& thread_state() { return threads_[static_cast<std::size_t>(Team::this_thread())]; }
  /// This rank's part of a route. Collective at the first call for each.
  const Hops& hops(std::string_view route);
  /// Between relays of different ranks, on routes of several hops.
  FlowControl& flow() { return *flow_; }
  /// Bytes that one relay may hold of this rank's memory: an equal part of the budget for each that is open.
  std::size_t relay_budget() const;
  int level_to(Rank to) const { return level_to_[static_cast<std::size_t>(to)]; }
  /// Notes communication memory held by a mailbox (bytes may be negative).
  void note_memory(std::ptrdiff_t bytes);

 private:
  /// Keeps the clock of one wait: reports a stall once, notices lost peers and the time-out.
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

  std::unique_ptr<const Route> make_route(std::string_view name) const;
  void agree_on(int kind, const std::string& message);
  /// Throws TransportError when one is lost or silent.
  void check_peers(const char* what);

  std::unique_ptr<Fabric> fabric_;
  const Plan plan_;
  const Hierarchy hierarchy_;
  std::vector<std::unique_ptr<const Route>> routes_;  // the first by Plan::route, then what hops() was asked for
  Options options_;
  const Rank rank_, size_;
  const double wait_limit_s_;  // of one wait; 0: none
  const RouteModel model_;
  bool votes_by_tree_;
  const double started_;
  bool agreed_error_ = false;
  Team team_;
  std::vector<int> level_to_;
  std::vector<std::atomic<int>> lanes_to_;  // [rank] slots held by lanes
  std::vector<ThreadState> threads_;
  PacketDispatcher reception_;
  std::unique_ptr<FlowControl> flow_;
  std::vector<std::unique_ptr<const Hops>> made_hops_;
  std::map<std::string, const Hops*, std::less<>> hops_;  // by route, the latest
  std::vector<std::int64_t> weights_;                     // [rank] prefer_monitors()
  struct Refusals {
    SpinLock lock;
    std::uint64_t moved = 0;
    double since = -1, checked = 0;
    bool reported = false;
  } refusals_;
  std::atomic<std::ptrdiff_t> memory_{0}, memory_high_{0};
};

/// As Timer, on the rank's own clock.
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

/// Calls f(World&) on each of `ranks` threads; throws what the rank that failed first threw. If a rank throws while
/// others wait for it, they get a TransportError that names it.
void run_ranks(Rank ranks, const Plan& plan, const std::function<void(World&)>& f, World::Options options = {});

// ---------------------------------------------------------------------------------------------------------------------

template <class Done>
void World::wait_until(const char* what, Done&& done) {
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

/// Order of the exit codes' classes, as they travel in agree.
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
