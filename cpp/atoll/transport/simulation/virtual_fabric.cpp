// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/transport/simulation/event_clock.hpp>
#include <cstring>

namespace atl {
namespace {

// Small messages in flight per ordered pair and kind, about the capacity of a node's ring.
constexpr int kSmallInFlight = 64;

class VirtualFabric final : public Fabric {
 public:
  VirtualFabric(EventClock& clock, Rank rank) : clock_(clock), rank_(rank) {}

  std::string_view name() const override { return clock_.name(); }
  Rank rank() const override { return rank_; }
  Rank size() const override { return clock_.ranks(); }
  int node_of(Rank rank) const override { return clock_.options().hierarchy.leaf_of(rank); }
  std::size_t slot_bytes() const override { return clock_.options().slot_bytes; }
  std::size_t message_bytes() const override { return clock_.options().message_bytes; }
  std::size_t memory_bytes() const override { return clock_.held_bytes(rank_); }
  bool is_virtual() const override { return true; }
  double now() override { return clock_.now(rank_); }
  void set_timing(SimulatedTiming timing) override { clock_.set_timing(rank_, timing); }
  std::optional<TimeSpent> spent() const override {
    clock_.now(rank_);  // charges what was computed up to here
    return clock_.spent(rank_);
  }

  Busy acquire(Rank to, Slot& slot) override {
    Busy busy = Busy::no;
    const std::uint32_t block =
        clock_.take(rank_, to, EventClock::kBulk, clock_.slot_class(), clock_.options().slots_per_peer, busy);
    if (busy == Busy::no) slot = {clock_.payload(block), slot_bytes(), to, block};
    return busy;
  }
  std::size_t longest_slot_bytes() const override {
    return std::max(slot_bytes(), clock_.options().longest_slot_bytes);
  }
  Busy acquire_long(Rank to, const LongSlots& slots, Slot& slot) override {
    const std::size_t bytes = std::min(slots.bytes, longest_slot_bytes());
    Busy busy = Busy::no;
    const std::uint32_t block =
        clock_.take(rank_, to, EventClock::kBulk, SizeClassPool::class_of(bytes), slots.per_peer, busy);
    if (busy == Busy::no) slot = {clock_.payload(block), bytes, to, block};
    return busy;
  }
  void spend(double seconds, double TimeSpent::*part) override { clock_.spend(rank_, seconds, part); }
  void publish(const Slot& slot, std::size_t bytes) override { publish_for(slot, bytes, 0); }
  void publish_for(const Slot& slot, std::size_t bytes, std::size_t more) override {
    ATOLL_ASSERT(bytes > 0 && bytes <= slot.capacity);
    clock_.depart(slot.ticket, bytes, more);
  }
  void abandon(const Slot& slot) override { clock_.give_back(slot.ticket, clock_.clock(rank_)); }

  Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) override {
    Busy busy = Busy::no;
    const EventClock::Kind kind = traffic == Traffic::control ? EventClock::kControl : EventClock::kMessage;
    const std::uint32_t block =
        clock_.take(rank_, to, kind, SizeClassPool::class_of(bytes.size()), kSmallInFlight, busy);
    if (busy != Busy::no) return busy;
    clock_.message(block).note = note;
    if (!bytes.empty()) std::memcpy(clock_.payload(block), bytes.data(), bytes.size());
    clock_.depart(block, bytes.size());
    return Busy::no;
  }

  bool can_put(Rank) const override { return false; }
  Busy expose(Rank, std::span<std::byte>, std::uint64_t, PutTarget&) override { return Busy::no_memory; }
  Busy put(Rank, const PutTarget&, std::span<const std::byte>, std::uint64_t) override { return Busy::no_memory; }

  int poll(std::span<Packet> packets, TrafficSet wanted) override { return clock_.poll(rank_, packets, wanted); }
  void release(const Packet& packet) override { clock_.give_back(packet.ticket, clock_.clock(rank_)); }
  bool wait(double timeout_s, TrafficSet wanted) override { return clock_.wait(rank_, timeout_s, wanted); }
  void wake() override { clock_.wake(rank_, clock_.clock(rank_)); }

  void abort(int) noexcept override { clock_.end_job(fmt::format("rank {} has aborted the job", rank_)); }
  void close() override {}

 private:
  EventClock& clock_;
  const Rank rank_;
};

}  // namespace

std::unique_ptr<Fabric> EventClock::fabric(Rank rank) { return std::make_unique<VirtualFabric>(*this, rank); }

}  // namespace atl
