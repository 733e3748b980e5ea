// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/timer.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/transport/discover.hpp>
#include <atoll/transport/inproc.hpp>
#include <atoll/transport/node_fabric.hpp>
#include <atoll/transport/platform.hpp>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>

namespace atl {
namespace {

int threads_per_rank(const Plan& plan, const Fabric& fabric) {
  if (plan.threads > 0) return plan.threads;
  int on_node = 0;
  for (Rank r = 0; r < fabric.size(); ++r) on_node += fabric.node_of(r) == fabric.node_of(fabric.rank());
  return std::max(1, usable_cores() / std::max(1, on_node));
}

std::vector<LinkCost> costs_of(const Plan& plan, int depth, const std::vector<LinkCost>& given) {
  return given.empty() ? read_platform(plan.platform, depth).costs : given;
}

// A slot's first bytes; the payload follows, 16-byte aligned.
struct Header {
  std::uint32_t channel;
  std::uint32_t stamp;
};
static_assert(sizeof(Header) <= World::kHeaderBytes);

// Channels are found by number modulo the size of their table, which doubles when half of it is open at once.
constexpr std::size_t kChannels = 256;

// Checking on peers costs a system call; often enough to end a broken job within seconds.
constexpr double kPeerCheck_s = 0.5;

}  // namespace

ErrorKind kind_of(const std::exception& e) {
  if (dynamic_cast<const InputError*>(&e)) return ErrorKind::input;
  if (dynamic_cast<const UsageError*>(&e)) return ErrorKind::usage;
  if (dynamic_cast<const IoError*>(&e)) return ErrorKind::io;
  if (dynamic_cast<const TransportError*>(&e)) return ErrorKind::transport;
  if (dynamic_cast<const VerificationError*>(&e)) return ErrorKind::verification;
  return ErrorKind::other;
}

struct World::Early {
  std::mutex mutex;
  std::vector<Packet> packets;
  std::atomic<bool> retry{false};  // a channel was opened since they were last looked at
  std::atomic<int> messages{0};    // of these: a queue had no packet for them
};

// The thread that moves messages on while the team computes (Plan::progress is "thread"). It takes everything; bulk
// packets whose handlers belong to the team are parked until one of the team makes progress.
struct World::Communication {
  explicit Communication(World& world) : world(world) {}
  ~Communication() { end(); }

  // Apart from construction and destruction, so that the thread always finds World::communication_ set: without it, it
  // would run handlers that are the team's.
  void begin() {
    thread = std::thread([this] { run(); });
  }
  void end() {
    if (!thread.joinable()) return;
    stop.store(true, std::memory_order_relaxed);
    world.fabric_->wake();
    thread.join();
  }

  void run() {
    Team::name_this_thread(world.team_.size());
    Backoff backoff;
    while (!stop.load(std::memory_order_relaxed)) {
      bool moved = false;
      if (pauses.load(std::memory_order_acquire) == 0) {
        std::lock_guard hold(gate);
        try {
          moved = world.progress();
        } catch (...) {
          error = std::current_exception();
          failed.store(true, std::memory_order_release);
          return;
        }
      }
      if (moved) {
        backoff.reset();
      } else if (!backoff.pause()) {
        constexpr double kNap_s = 0.0005;
        world.fabric_->wait(kNap_s, world.wanted());
      }
    }
  }

  bool is_this_thread() const { return Team::this_thread() == world.team_.size(); }
  void park(const Packet& packet) {
    std::lock_guard hold(parked_lock);
    parked.push_back(packet);
    parked_count.store(static_cast<int>(parked.size()), std::memory_order_release);
  }
  void deliver_parked() {
    if (failed.load(std::memory_order_acquire)) std::rethrow_exception(error);
    if (parked_count.load(std::memory_order_acquire) == 0) return;
    std::vector<Packet> packets;
    {
      std::lock_guard hold(parked_lock);
      packets.swap(parked);
      parked_count.store(0, std::memory_order_relaxed);
    }
    for (const Packet& p : packets)
      if (world.deliver(p)) world.fabric_->release(p);
  }

  // While it lives, the thread touches neither channels nor queues. `c` may be null.
  class Pause {
   public:
    explicit Pause(Communication* c) : c_(c) {
      if (!c_) return;
      c_->pauses.fetch_add(1, std::memory_order_acq_rel);
      c_->gate.lock();
    }
    ~Pause() {
      if (!c_) return;
      c_->gate.unlock();
      c_->pauses.fetch_sub(1, std::memory_order_release);
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Communication* c_;
  };
  static Pause pause(Communication* c) { return Pause(c); }

  World& world;
  SpinLock gate;
  std::atomic<int> pauses{0};
  SpinLock parked_lock;
  std::vector<Packet> parked;
  std::atomic<int> parked_count{0};
  std::exception_ptr error;
  std::atomic<bool> failed{false}, stop{false};
  std::thread thread;
};

World::World(std::unique_ptr<Fabric> fabric, Plan plan, Hierarchy hierarchy, Options options)
    : Collectives(*this),
      fabric_(std::move(fabric)),
      plan_(std::move(plan)),
      hierarchy_(std::move(hierarchy)),
      options_(std::move(options)),
      rank_(fabric_->rank()),
      size_(fabric_->size()),
      model_(hierarchy_, costs_of(plan_, hierarchy_.depth(), options_.costs),
             {fabric_->slot_bytes(), plan_.slots_per_peer}),
      votes_by_tree_(hierarchy_.depth() > 1 && plan_.route != "direct"),
      started_(fabric_->now()),
      team_(threads_per_rank(plan_, *fabric_)),
      lanes_to_(static_cast<std::size_t>(size_)),
      threads_(static_cast<std::size_t>(thread_slots())),
      channels_(kChannels),
      early_(std::make_unique<Early>()),
      flow_(std::make_unique<FlowControl>(*this)) {
  check(hierarchy_.size() == size_, "the hierarchy has {} ranks (the job has {}). Correct --domains.",
        hierarchy_.size(), size_);
  routes_.push_back(make_route(plan_.route == "auto" ? "domain" : plan_.route));
  for (Rank r = 0; r < size_; ++r) level_to_.push_back(hierarchy_.level_between(rank_, r));
  for (auto& t : threads_) {
    t.counters.levels.resize(static_cast<std::size_t>(hierarchy_.depth()));
    if (size_ <= Counters::kRanksByPair) t.counters.bytes_to.resize(static_cast<std::size_t>(size_));
  }
  if (Rings* rings = fabric_->rings()) {
    rings_reach_all_ = true;
    for (Rank r = 0; r < size_; ++r) rings_reach_all_ = rings_reach_all_ && (r == rank_ || rings->reaches(r));
  }
  Collectives::open();
  if (!route().is_direct()) flow_->open();
  if (plan_.progress == "thread") {
    communication_ = std::make_unique<Communication>(*this);
    communication_->begin();
  }
}

World::~World() = default;

std::unique_ptr<World> World::alone(Plan plan, Options options) {
  auto fabrics = make_inproc({.ranks = 1,
                              .slot_bytes = plan.slot_bytes_for(1),
                              .slots_per_peer = plan.slots_per_peer,
                              .ring_bytes = plan.ring_bytes_for(1),
                              .shuffle_seed = 0,
                              .nodes = {}});
  return std::make_unique<World>(std::move(fabrics[0]), std::move(plan), Hierarchy::flat(1), std::move(options));
}

void World::close() {
  barrier();
  if (communication_) communication_->end();
  communication_.reset();
  Collectives::shut();
  fabric_->close();
}

std::unique_ptr<const Route> World::make_route(std::string_view name) const {
  return std::make_unique<const Route>(name, hierarchy_, monitors_named(plan_.monitors), weights_);
}

const Hops& World::hops(std::string_view name) {
  const auto known = hops_.find(name);
  if (known != hops_.end()) return *known->second;
  const Route* route = &this->route();
  if (route->name() != name) route = routes_.emplace_back(make_route(name)).get();
  const Hops& made = *made_hops_.emplace_back(std::make_unique<Hops>(*this, *route));
  hops_.emplace(name, &made);
  return made;
}

void World::prefer_monitors(std::int64_t weight) {
  if (plan_.monitors != "heavy" || route().is_direct()) return;
  weights_ = all_gather(weight);
  routes_.insert(routes_.begin(), make_route(route().name()));
  hops_.clear();  // what mailboxes have in use stays in made_hops_
}

std::size_t World::relay_budget() const {
  return plan_.budget_bytes / static_cast<std::size_t>(std::max(1, flow_->open_relays()));
}

Counters World::counters() const {
  Counters all;
  for (const auto& t : threads_) all += t.counters;
  all.memory_bytes = static_cast<std::uint64_t>(memory_high_.load()) + fabric_->memory_bytes();
  if (const auto spent = fabric_->spent()) {
    all.time = *spent;
  } else {
    all.time = threads_[0].waited;
    all.time.compute = fabric_->now() - started_ - all.time.seconds();
  }
  return all;
}

void World::note_memory(std::ptrdiff_t bytes) {
  const auto now = memory_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  auto high = memory_high_.load(std::memory_order_relaxed);
  while (now > high && !memory_high_.compare_exchange_weak(high, now, std::memory_order_relaxed)) {
  }
}

std::uint32_t World::open_channel(Deliver deliver, void* context, Runs runs) {
  const auto quiet = Communication::pause(communication_.get());
  std::lock_guard hold(early_->mutex);
  const std::uint32_t number = next_channel_++;
  if (2 * ++open_channels_ > channels_.size()) {
    std::vector<Channel> before(2 * channels_.size());
    before.swap(channels_);
    channel_reach_ = 0;
    for (const Channel& c : before)
      if (c.open) place_channel(c);
  }
  place_channel({deliver, context, number, true, runs});
  // Packets of faster peers may have waited for this channel; the next progress() hands them out, so that whoever opens
  // it can finish setting up.
  early_->retry.store(!early_->packets.empty(), std::memory_order_release);
  return number;
}

void World::close_channel(std::uint32_t channel) {
  const auto quiet = Communication::pause(communication_.get());
  std::lock_guard hold(early_->mutex);
  if (Channel* c = find_channel(channel)) {
    c->open = false;
    --open_channels_;
  }
}

void World::place_channel(const Channel& channel) {
  std::size_t step = 0;
  while (channels_[(channel.number + step) % channels_.size()].open) ++step;
  channels_[(channel.number + step) % channels_.size()] = channel;
  channel_reach_ = std::max(channel_reach_, step);
}

World::Channel* World::find_channel(std::uint32_t number) {
  // The first look hits unless a channel stays open while hundreds of others come and go.
  for (std::size_t step = 0; step <= channel_reach_; ++step) {
    Channel& c = channels_[(number + step) % channels_.size()];
    if (c.open && c.number == number) return &c;
  }
  return nullptr;
}

Busy World::acquire(Rank to, Slot& slot, Hold hold) {
  auto& lanes = lanes_to_[static_cast<std::size_t>(to)];
  Busy busy = Busy::no;
  if (hold == Hold::as_lane && lanes.fetch_add(1, std::memory_order_relaxed) + 1 >= plan_.slots_per_peer)
    busy = Busy::reserved;
  if (busy == Busy::no) busy = fabric_->acquire(to, slot);
  if (busy != Busy::no) {
    if (hold == Hold::as_lane) lanes.fetch_sub(1, std::memory_order_relaxed);
    ++thread_state().counters.retries[static_cast<int>(busy)];
    return busy;
  }
  slot.data += kHeaderBytes;
  slot.capacity -= kHeaderBytes;
  return Busy::no;
}

void World::publish_for(std::uint32_t channel, const Slot& slot, std::size_t payload_bytes, std::size_t more, Hold hold,
                        std::uint32_t stamp) {
  if (hold == Hold::as_lane) lanes_to_[static_cast<std::size_t>(slot.to)].fetch_sub(1, std::memory_order_relaxed);
  Slot whole = slot;
  whole.data -= kHeaderBytes;
  whole.capacity += kHeaderBytes;
  const Header header{channel, stamp};
  std::memcpy(whole.data, &header, sizeof header);
  ++thread_state().counters.levels[static_cast<std::size_t>(level_to(slot.to))].messages;
  count_in_place(slot.to, payload_bytes + more);
  if (more > 0) {
    fabric_->publish_for(whole, payload_bytes + kHeaderBytes, more);
  } else {
    fabric_->publish(whole, payload_bytes + kHeaderBytes);
  }
}

void World::count_in_place(Rank to, std::size_t bytes) {
  thread_state().counters.levels[static_cast<std::size_t>(level_to(to))].bytes += bytes;
  if (auto& bytes_to = thread_state().counters.bytes_to; !bytes_to.empty())
    bytes_to[static_cast<std::size_t>(to)] += bytes;
}

void World::abandon(const Slot& slot, Hold hold) {
  if (hold == Hold::as_lane) lanes_to_[static_cast<std::size_t>(slot.to)].fetch_sub(1, std::memory_order_relaxed);
  Slot whole = slot;
  whole.data -= kHeaderBytes;
  whole.capacity += kHeaderBytes;
  fabric_->abandon(whole);
}

bool World::deliver_bulk(const Packet& packet) {
  Header header;
  std::memcpy(&header, packet.data, sizeof header);
  const Channel* c = find_channel(header.channel);
  if (!c) {
    std::lock_guard hold(early_->mutex);
    c = find_channel(header.channel);
    if (!c && header.channel < next_channel_) return true;  // it is closed: what still comes is lost
    if (!c) {
      early_->packets.push_back(packet);
      return false;
    }
  }
  if (c->runs == Runs::on_the_team && communication_ && communication_->is_this_thread()) {
    communication_->park(packet);
    return false;
  }
  c->deliver(c->context, packet.from, header.stamp, packet.data + kHeaderBytes, packet.bytes - kHeaderBytes);
  return true;
}

// True if the packet can be released.
bool World::deliver(const Packet& packet) {
  thread_state().arrived_level = level_to(packet.from);
  if (packet.what == Packet::What::bulk) [[likely]]
    return deliver_bulk(packet);
  const bool put = packet.what == Packet::What::put_sent || packet.what == Packet::What::put_landed;
  const std::size_t number = put ? packet.token >> 32 : packet.note.type >> 4;
  const MessageSink& sink = sinks_[number];
  if (is_gone(number)) return !put;
  const Taken taken = sink.take ? sink.take(sink.context, packet) : Taken::no;
  if (taken == Taken::no) {
    std::lock_guard hold(early_->mutex);
    early_->packets.push_back(packet);
    early_->messages.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  return taken == Taken::done && !put;
}

void World::deliver_early() {
  std::vector<Packet> packets;
  {
    std::lock_guard hold(early_->mutex);
    early_->retry.store(false, std::memory_order_relaxed);
    early_->messages.store(0, std::memory_order_relaxed);
    packets.swap(early_->packets);
  }
  for (const Packet& p : packets)
    if (deliver(p)) fabric_->release(p);
}

bool World::progress() {
  // Under the lock of the messages: one that waits here may not be overtaken by one that is polled meanwhile.
  if (early_->retry.load(std::memory_order_acquire) && far_messages_.try_lock()) [[unlikely]] {
    std::lock_guard hold(far_messages_, std::adopt_lock);
    deliver_early();
  }
  if (communication_ && !communication_->is_this_thread()) communication_->deliver_parked();
  // Messages are taken by one thread at a time, in their order, once those that found no room have found it.
  bool messages = open_sinks_ > 0 && !rings_reach_all_ && far_messages_.try_lock();
  std::unique_lock<SpinLock> order;
  if (messages) {
    order = std::unique_lock(far_messages_, std::adopt_lock);
    if (early_->messages.load(std::memory_order_relaxed) > 0) deliver_early();
    messages = early_->messages.load(std::memory_order_relaxed) == 0;
  }
  constexpr int kBatch = 16;
  Packet packets[kBatch];
  const int n = fabric_->poll(packets, messages ? kAllTraffic : Traffic::bulk | Traffic::control);
  for (int i = 0; i < n; ++i)
    if (deliver(packets[i])) fabric_->release(packets[i]);
  bool moved = n > 0;
  if (order) order.unlock();
  for (int i = 0; i < next_sink_; ++i)
    if (const MessageSink& s = sinks_[static_cast<std::size_t>(i)]; s.pump) moved = s.pump(s.context) || moved;
  if (moved) moved_.store(moved_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return moved;
}

// ---- messages -------------------------------------------------------------------------------------------------------

int World::open_messages(const MessageSink& sink) {
  const auto quiet = Communication::pause(communication_.get());
  check(next_sink_ < static_cast<int>(sinks_.size()), "a {}th queue (at most {} in a World). Use tags.", next_sink_ + 1,
        sinks_.size());
  sinks_[static_cast<std::size_t>(next_sink_)] = sink;
  if (!sink.control_only) ++open_sinks_;
  early_->retry.store(true, std::memory_order_release);
  return next_sink_++;
}

void World::close_messages(int number) {
  const auto quiet = Communication::pause(communication_.get());
  if (!sinks_[static_cast<std::size_t>(number)].control_only) --open_sinks_;
  sinks_[static_cast<std::size_t>(number)] = {};
}

bool World::deliver_message(const Packet& packet) {
  const std::size_t number = packet.note.type >> 4;
  const MessageSink& sink = sinks_[number];
  if (is_gone(number)) {
    fabric_->release(packet);
    return true;
  }
  return sink.take && sink.take(sink.context, packet) != Taken::no;
}

std::string World::describe_sinks() {
  std::string text;
  for (int i = 0; i < next_sink_; ++i)
    if (const MessageSink& s = sinks_[static_cast<std::size_t>(i)]; s.describe) text += "; " + s.describe(s.context);
  return text;
}

void World::note_refusal(const char* what, Rank to) {
  constexpr std::uint32_t kLookEvery = 256;  // a look at the clock costs as much as several refusals
  if (++thread_state().refusals % kLookEvery != 0 || !refusals_.lock.try_lock()) return;
  std::lock_guard hold(refusals_.lock, std::adopt_lock);
  const double now = this->now();
  const std::uint64_t moved = moved_.load(std::memory_order_relaxed);
  if (refusals_.since < 0 || moved != refusals_.moved) {
    refusals_.since = now;
    refusals_.moved = moved;
    refusals_.reported = false;
    return;
  }
  if (refusals_.reported || now - refusals_.since < plan_.stall_seconds) return;
  refusals_.reported = true;
  options_.log(LogLevel::warn,
               "rank {} has been refused for {:.0f} s in '{}' to rank {} and nothing else moves{}. Does "
               "that rank still receive?",
               rank_, now - refusals_.since, what, to, describe_sinks());
}

// ---- waiting --------------------------------------------------------------------------------------------------------

World::Watch::~Watch() {
  if (began_ >= 0) world_.thread_state().counters.wait_seconds += world_.now() - began_;
  charge();
}

// What was idle until now: by the level of the packet that ended it.
void World::Watch::charge() {
  if (idle_since_ < 0) return;
  ThreadState& thread = world_.thread_state();
  const double seconds = world_.now() - std::exchange(idle_since_, -1);
  const int level = std::exchange(thread.arrived_level, -1);
  const bool for_room = std::string_view(what_).starts_with("send");
  (for_room || level < 0 ? thread.waited.stall : level == 0 ? thread.waited.intra : thread.waited.inter) += seconds;
}

void World::Watch::progressed() {
  charge();
  backoff_.reset();
  since_ = -1;
}

void World::Watch::idle() {
  if (began_ < 0) {
    began_ = world_.now();
    if (world_.options_.waiting) world_.options_.waiting(what_);
  }
  if (idle_since_ < 0) {
    idle_since_ = world_.now();
    world_.thread_state().arrived_level = -1;
  }
  if (world_.fabric_->is_virtual()) {
    world_.fabric_->wait(std::numeric_limits<double>::infinity(), world_.wanted());
    return;
  }
  if (backoff_.pause()) return;
  // Asleep from here on: look at the clock each time.
  const double now = world_.now();
  if (since_ < 0) since_ = checked_ = now;
  // What other threads of this rank move counts too.
  if (const auto moved = world_.moved_.load(std::memory_order_relaxed); moved != moved_) {
    moved_ = moved;
    since_ = now;
  }
  constexpr double kNap_s = 0.001;
  world_.fabric_->wait(kNap_s, world_.wanted());
  if (now - checked_ > kPeerCheck_s) {
    checked_ = now;
    if (world_.options_.lost_peer)
      if (auto lost = world_.options_.lost_peer())
        throw TransportError(fmt::format("{} (rank {} was waiting in '{}'). Look at that rank's own messages.", *lost,
                                         world_.rank_, what_));
  }
  if (!reported_ && now - since_ > world_.plan_.stall_seconds) {
    reported_ = true;
    const Counters& c = world_.thread_state().counters;  // the other threads' change while this one looks
    world_.options_.log(
        LogLevel::warn,
        "rank {} has made no progress for {:.0f} s in '{}' (refused slots: {} no slot, {} no memory, {} "
        "lock{}); still waiting",
        world_.rank_, now - since_, what_, c.retries[1], c.retries[2], c.retries[3], world_.describe_sinks());
  }
  if (const double limit = world_.plan_.timeout_seconds; limit > 0 && now - since_ > limit)
    throw TransportError(
        fmt::format("rank {} waited {:.1f} s in '{}' without any progress (timeout_seconds is {}). Look for "
                    "a rank that stopped, or raise it.",
                    world_.rank_, now - since_, what_, limit));
}

// ---- errors, the same on every rank ---------------------------------------------------------------------------------

void World::agree_on(int kind, const std::string& message) {
  struct Vote {
    Rank rank;
    int kind;
    std::size_t length;
  };
  const Vote worst = fold(Vote{kind != 0 ? rank_ : size_, kind, message.size()},
                          [](const Vote& a, const Vote& b) { return b.rank < a.rank ? b : a; });
  if (worst.rank == size_) return;
  std::string text = message;
  text.resize(worst.length);
  broadcast(std::span<char>(text), worst.rank);
  agreed_error_ = true;
  switch (static_cast<ErrorKind>(worst.kind)) {
    case ErrorKind::input:
      throw InputError(text);
    case ErrorKind::usage:
      throw UsageError(text);
    case ErrorKind::io:
      throw IoError(text);
    case ErrorKind::transport:
      throw TransportError(text);
    case ErrorKind::verification:
      throw VerificationError(text);
    default:
      throw Error(text);
  }
}

void World::agree(bool ok, const std::string& message) {
  agree_on(ok ? 0 : static_cast<int>(ErrorKind::input), ok ? std::string() : message);
}

// ---- ranks as threads -----------------------------------------------------------------------------------------------

void run_ranks(Rank ranks, const Plan& plan, const std::function<void(World&)>& f, World::Options options) {
  const Hierarchy hierarchy = plan.domains.empty() ? Hierarchy::flat(ranks) : read_domains(plan.domains, ranks);
  check(hierarchy.size() == ranks, "domains '{}' make {} ranks (there are {}). Correct --domains or --ranks.",
        plan.domains, hierarchy.size(), ranks);
  std::vector<int> nodes;
  for (Rank r = 0; r < ranks; ++r) nodes.push_back(hierarchy.leaf_of(r));
  auto fabrics = make_inproc({.ranks = ranks,
                              .slot_bytes = plan.slot_bytes_for(ranks),
                              .slots_per_peer = plan.slots_per_peer,
                              .ring_bytes = plan.ring_bytes_for(ranks),
                              .shuffle_seed = plan.shuffle_seed,
                              .nodes = nodes});
  Plan local = plan;
  if (local.threads == 0) local.threads = std::max(1, usable_cores() / ranks);

  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::atomic<Rank> first_failed{-1};
  auto play = [&](Rank r) {
    World::Options mine = options;
    mine.lost_peer = [&, r]() -> std::optional<std::string> {
      if (const Rank failed = first_failed.load(); failed >= 0 && failed != r)
        return fmt::format("rank {} stopped with an error", failed);
      return options.lost_peer ? options.lost_peer() : std::nullopt;
    };
    try {
      World world(std::move(fabrics[static_cast<std::size_t>(r)]), local, hierarchy, std::move(mine));
      f(world);
      world.close();
    } catch (...) {
      errors[static_cast<std::size_t>(r)] = std::current_exception();
      Rank none = -1;
      first_failed.compare_exchange_strong(none, r);
    }
  };
  std::vector<std::thread> others;
  for (Rank r = 1; r < ranks; ++r) others.emplace_back(play, r);
  play(0);
  for (auto& t : others) t.join();
  // The rank that failed first knows why; the others only know that it is gone.
  if (const Rank failed = first_failed.load(); failed >= 0)
    std::rethrow_exception(errors[static_cast<std::size_t>(failed)]);
}

}  // namespace atl
