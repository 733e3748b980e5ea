// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/shared_memory/node_fabric.hpp>
#include <atoll/transport/shared_memory/shm.hpp>

namespace atl {
namespace {

// Each peer belongs to one of two fabrics, and so do its slots and packets: one table lookup per slot.
class Composed final : public Fabric {
 public:
  Composed(std::unique_ptr<Fabric> node, std::unique_ptr<Fabric> network)
      : node_(std::move(node)),
        network_(std::move(network)),
        slot_bytes_(std::min(node_->slot_bytes(), network_->slot_bytes())),
        message_bytes_(std::min(node_->message_bytes(), network_->message_bytes())) {
    for (Rank r = 0; r < node_->size(); ++r) {
      const bool near = r == node_->rank() || node_->rings()->reaches(r);
      by_.push_back(near ? node_.get() : network_.get());
      anyone_far_ = anyone_far_ || !near;
    }
    name_ = anyone_far_ ? fmt::format("{}+{}", node_->name(), network_->name()) : std::string(node_->name());
  }

  std::string_view name() const override { return name_; }
  Rank rank() const override { return node_->rank(); }
  Rank size() const override { return node_->size(); }
  int node_of(Rank rank) const override { return node_->node_of(rank); }
  std::size_t slot_bytes() const override { return slot_bytes_; }
  std::size_t message_bytes() const override { return message_bytes_; }
  std::size_t memory_bytes() const override { return node_->memory_bytes() + network_->memory_bytes(); }

  Busy acquire(Rank to, Slot& slot) override {
    const Busy busy = by(to).acquire(to, slot);
    slot.capacity = std::min(slot.capacity, slot_bytes_);
    return busy;
  }
  void publish(const Slot& slot, std::size_t bytes) override { by(slot.to).publish(slot, bytes); }
  void abandon(const Slot& slot) override { by(slot.to).abandon(slot); }
  Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) override {
    return by(to).send(to, traffic, note, bytes);
  }
  bool can_put(Rank to) const override { return by(to).can_put(to); }
  Busy expose(Rank from, std::span<std::byte> memory, std::uint64_t token, PutTarget& target) override {
    return by(from).expose(from, memory, token, target);
  }
  Busy put(Rank to, const PutTarget& target, std::span<const std::byte> source, std::uint64_t token) override {
    return by(to).put(to, target, source, token);
  }

  int poll(std::span<Packet> packets, TrafficSet wanted) override {
    // Messages of peers on this node are taken from the rings directly, so that their order is decided in one place.
    const int near = node_->poll(packets, wanted & ~static_cast<TrafficSet>(Traffic::message));
    if (!anyone_far_ || near == static_cast<int>(packets.size())) return near;
    return near + network_->poll(packets.subspan(static_cast<std::size_t>(near)), wanted);
  }
  void release(const Packet& packet) override { by(packet.from).release(packet); }

  bool wait(double timeout_s, TrafficSet wanted) override {
    if (!anyone_far_) return node_->wait(timeout_s, wanted);
    const Timer timer;
    // Sleeps on the node's wakeup and polls the network between naps of growing length.
    const double longest_s = std::max(250e-6, timeout_s / 4);
    for (double nap_s = 10e-6;; nap_s = std::min(2 * nap_s, longest_s)) {
      if (network_->wait(0, wanted)) return true;
      const double left_s = timeout_s - timer.seconds();
      if (left_s <= 0) return false;
      if (node_->wait(std::min(nap_s, left_s), wanted)) return true;
    }
  }
  void wake() override { node_->wake(); }
  Rings* rings() override { return node_->rings(); }
  Fabric& network() override { return network_->network(); }
  void abort(int exit_code) noexcept override { network_->abort(exit_code); }
  void close() override {
    node_->close();
    network_->close();
  }

 private:
  Fabric& by(Rank rank) const { return *by_[rank]; }

  std::unique_ptr<Fabric> node_, network_;
  std::string name_;
  const std::size_t slot_bytes_, message_bytes_;
  std::vector<Fabric*> by_;  // [rank]
  bool anyone_far_ = false;
};

}  // namespace

std::unique_ptr<Fabric> compose(std::unique_ptr<Fabric> node, std::unique_ptr<Fabric> network) {
  ATOLL_ASSERT(node->rank() == network->rank() && node->size() == network->size());
  return std::make_unique<Composed>(std::move(node), std::move(network));
}

}  // namespace atl
