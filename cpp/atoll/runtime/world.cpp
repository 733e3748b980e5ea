// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/world.hpp>
#include <atoll/runtime/world_internals.hpp>
#include <atoll/topology/machine.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/shared_memory/inproc.hpp>
#include <cstring>

namespace atl {
namespace {

int threads_per_rank(const Plan& plan, const Fabric& fabric) {
  if (plan.threads > 0) return plan.threads;
  int on_node = 0;
  for (Rank r = 0; r < fabric.size(); ++r) on_node += fabric.node_of(r) == fabric.node_of(fabric.rank());
  return std::max(1, usable_cores() / std::max(1, on_node));
}

// Ranks that are threads of one process stop together or not at all, so silence is nothing to go by: there a time that
// was set is for every wait.
double wait_limit(const Plan& plan, const Fabric& fabric) {
  const Rank peer = fabric.rank() == 0 ? 1 : 0;
  return fabric.size() > 1 && fabric.shares_addresses(peer) && plan.timeout_seconds != Plan{}.timeout_seconds
             ? plan.timeout_seconds
             : 0;
}

Machine machine_of(const Plan& plan, const Hierarchy& hierarchy, const std::optional<Machine>& given) {
  Machine machine = given ? *given : read_machine(plan.platform, hierarchy.depth());
  machine.cost.check_covers(hierarchy);
  return machine;
}

SlotRule slot_rule_of(const Plan& plan, const Fabric& fabric) {
  return {fabric.slot_bytes(), plan.slots_per_peer, fabric.longest_slot_bytes(), plan.buffers == "dynamic"};
}

std::unique_ptr<const Route> make_route(const World& world, std::string_view name,
                                        const std::vector<std::int64_t>& weights) {
  return std::make_unique<const Route>(name, world.hierarchy(), monitors_named(world.plan().monitors), weights);
}

}  // namespace

World::World(std::unique_ptr<Fabric> fabric, Plan plan, Hierarchy hierarchy, Options options)
    : Collectives(*this),
      fabric_(std::move(fabric)),
      plan_(std::move(plan)),
      savings_(Savings::of(plan_.route, plan_.without)),
      hierarchy_(std::move(hierarchy)),
      options_(std::move(options)),
      rank_(fabric_->rank()),
      size_(fabric_->size()),
      wait_limit_s_(wait_limit(plan_, *fabric_)),
      machine_(machine_of(plan_, hierarchy_, options_.machine)),
      votes_by_tree_(hierarchy_.depth() > 1 && plan_.route != "direct"),
      started_(fabric_->now()),
      team_(threads_per_rank(plan_, *fabric_)),
      buffer_slots_to_(static_cast<std::size_t>(size_)),
      threads_(static_cast<std::size_t>(thread_slots())),
      internals_(std::make_unique<Internals>(
          *this,
          RouteModel(hierarchy_, machine_.cost.levels(), slot_rule_of(plan_, *fabric_), savings_, machine_.records))),
      all_near_(internals_->dispatcher.all_near()) {
  check(hierarchy_.size() == size_, "the hierarchy has {} ranks (the job has {}). Correct --domains.",
        hierarchy_.size(), size_);
  internals_->routes.push_back(make_route(*this, plan_.route == "auto" ? "domain" : plan_.route, internals_->weights));
  for (Rank r = 0; r < size_; ++r) level_to_.push_back(hierarchy_.level_between(rank_, r));
  for (auto& t : threads_) {
    t.counters.levels.resize(static_cast<std::size_t>(hierarchy_.depth()));
    if (size_ <= Counters::kRanksByPair) t.counters.bytes_to.resize(static_cast<std::size_t>(size_));
  }
  Collectives::open();
  if (!route().is_direct()) internals_->flow.open();
  if (plan_.progress == "thread") internals_->dispatcher.begin_thread(team_.size());
}

World::~World() {
  // Stop the thread first: it would run handlers of objects that are being destroyed.
  internals_->dispatcher.end_thread();
  internals_->shared.clear();
}

std::shared_ptr<void>& World::shared_place(std::type_index type) { return internals_->shared[type]; }

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
  if (std::exchange(internals_->closed, true)) return;
  barrier();
  internals_->dispatcher.end_thread();
  internals_->shared.clear();
  Collectives::shut();
  fabric_->close();
  // From here on no rank waits for this one, nor this one for others.
  options_.lost_peer = nullptr;
  options_.waiting = nullptr;
}

void World::keep_traffic(std::size_t most_bytes) {
  const auto computed = [this] {
    if (const auto spent = fabric_->spent()) return spent->compute;
    return fabric_->now() - started_ - threads_[0].waited.seconds();
  };
  internals_->traffic = std::make_unique<TrafficLog>(computed, most_bytes);
  traffic_ = internals_->traffic.get();
}

bool World::has_communication_thread() const { return internals_->dispatcher.has_thread(); }
const Route& World::route() const { return *internals_->routes.front(); }
std::span<const std::string_view> World::route_choices() const {
  return RouteModel::choices(plan_.route, plan_.monitors == "spread");
}
const RouteModel& World::route_model() const { return internals_->model; }
const SlotRule& World::slot_rule() const { return internals_->model.slots(); }
FlowControl& World::flow() { return internals_->flow; }

std::uint32_t World::open_channel(Deliver deliver, void* context, Runs runs) {
  return internals_->dispatcher.open_channel(deliver, context, runs);
}
void World::close_channel(std::uint32_t channel) { internals_->dispatcher.close_channel(channel); }
int World::open_messages(const MessageSink& sink) { return internals_->dispatcher.open_messages(sink); }
void World::close_messages(int number) { internals_->dispatcher.close_messages(number); }
bool World::deliver_message(const Packet& packet) { return internals_->dispatcher.deliver_message(packet); }
bool World::progress() { return internals_->dispatcher.progress(); }

const HopList& World::hops(std::string_view name) {
  Internals& in = *internals_;
  const auto known = in.hops.find(name);
  if (known != in.hops.end()) return *known->second;
  const Route* route = &this->route();
  if (route->name() != name) route = in.routes.emplace_back(make_route(*this, name, in.weights)).get();
  const HopList& made = *in.made_hops.emplace_back(std::make_unique<HopList>(*this, *route));
  in.hops.emplace(name, &made);
  return made;
}

void World::prefer_monitors(std::int64_t weight) {
  if (plan_.monitors != "heavy" || route().is_direct()) return;
  Internals& in = *internals_;
  in.weights = all_gather(weight);
  in.routes.insert(in.routes.begin(), make_route(*this, route().name(), in.weights));
  in.hops.clear();  // mailboxes still use those in made_hops
}

std::size_t World::relay_budget() const {
  return plan_.budget_bytes / static_cast<std::size_t>(std::max(1, internals_->flow.open_relays()));
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

Busy World::acquire(Rank to, Slot& slot, Hold hold) {
  auto& held = buffer_slots_to_[to];
  Busy busy = Busy::no;
  if (hold == Hold::as_send_buffer && held.fetch_add(1, std::memory_order_relaxed) + 1 >= plan_.slots_per_peer)
    busy = Busy::reserved;
  if (busy == Busy::no) busy = fabric_->acquire(to, slot);
  if (busy != Busy::no && hold == Hold::as_send_buffer) held.fetch_sub(1, std::memory_order_relaxed);
  return behind_header(busy, slot);
}

Busy World::acquire_long(Rank to, const LongSlots& slots, Slot& slot) {
  return behind_header(fabric_->acquire_long(to, slots, slot), slot);
}

// Counts a refusal; leaves out the header of a slot that was given.
Busy World::behind_header(Busy busy, Slot& slot) {
  if (busy != Busy::no) {
    ++thread_state().counters.retries[static_cast<int>(busy)];
  } else {
    slot.data += kHeaderBytes;
    slot.capacity -= kHeaderBytes;
  }
  return busy;
}

void World::publish_for(std::uint32_t channel, const Slot& slot, std::size_t payload_bytes, std::size_t more, Hold hold,
                        std::uint32_t stamp) {
  if (hold == Hold::as_send_buffer) buffer_slots_to_[slot.to].fetch_sub(1, std::memory_order_relaxed);
  Slot whole = slot;
  whole.data -= kHeaderBytes;
  whole.capacity += kHeaderBytes;
  const Channels::Header header{channel, stamp};
  static_assert(sizeof header <= kHeaderBytes);
  std::memcpy(whole.data, &header, sizeof header);
  ++thread_state().counters.levels[level_to(slot.to)].messages;
  count_in_place(slot.to, payload_bytes + more);
  internals_->charges.copy(payload_bytes + more);
  if (more > 0) {
    fabric_->publish_for(whole, payload_bytes + kHeaderBytes, more);
  } else {
    fabric_->publish(whole, payload_bytes + kHeaderBytes);
  }
}

void World::count_in_place(Rank to, std::size_t bytes) {
  thread_state().counters.levels[level_to(to)].bytes += bytes;
  if (auto& bytes_to = thread_state().counters.bytes_to; !bytes_to.empty()) bytes_to[to] += bytes;
}

void World::abandon(const Slot& slot, Hold hold) {
  if (hold == Hold::as_send_buffer) buffer_slots_to_[slot.to].fetch_sub(1, std::memory_order_relaxed);
  Slot whole = slot;
  whole.data -= kHeaderBytes;
  whole.capacity += kHeaderBytes;
  fabric_->abandon(whole);
}

}  // namespace atl
