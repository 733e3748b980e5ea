// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/shared_memory/node_fabric.hpp>

namespace atl {

std::string_view name_of(Busy reason) {
  switch (reason) {
    case Busy::no:
      return "not busy";
    case Busy::no_slot:
      return "no slot";
    case Busy::no_memory:
      return "no memory";
    case Busy::lock:
      return "lock";
    case Busy::reserved:
      return "reserved";
  }
  return "?";
}

void Rings::look_for_active() {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    if (!used_[s]->load(std::memory_order_acquire)) continue;
    Source* source = sources_[s].get();
    if (std::find(active_.begin(), active_.end(), source) == active_.end()) active_.push_back(source);
  }
}

std::size_t Rings::ring_bytes() const {
  std::size_t bytes = 0;
  for (const auto& source : sources_)
    for (const RingMemory* ring : {source->area.messages, source->area.control})
      bytes += ring->touched.load(std::memory_order_relaxed);
  return bytes;
}

bool Rings::any() {
  if (!scan_.try_lock()) return false;
  std::lock_guard hold(scan_, std::adopt_lock);
  find_active();
  return std::any_of(active_.begin(), active_.end(), [](Source* s) { return !s->messages.empty(); });
}

// The state by which this rank sends to one rank of the node.
struct Outbound {
  Inbox inbox;
  Inbox::Area area;
  RingSender messages, control;
  std::array<std::uint32_t, 64> touched{};  // [slot] bytes already written; guarded by holding the slot

  void touch(std::uint32_t slot, std::size_t bytes) {
    const std::size_t pages = std::min((bytes + kPage - 1) / kPage * kPage, area.stride);
    area.touched->fetch_add(pages - touched[slot], std::memory_order_relaxed);
    touched[slot] = static_cast<std::uint32_t>(pages);
  }
};

class NodeFabric final : public Fabric, public Rings {
 public:
  explicit NodeFabric(NodeFabricOptions options) : options_(std::move(options)) {
    shuffled_ = options_.shuffle_seed != 0;
    random_ = Random(random_at(options_.shuffle_seed, static_cast<std::uint64_t>(options_.rank)));
    const auto ranks = static_cast<std::size_t>(options_.size);
    senders_.resize(ranks);
    wakeups_.resize(ranks);
    used_there_.resize(ranks);
    index_.resize(ranks);
    outbound_.resize(ranks);
    const auto& members = options_.members;
    me_ = static_cast<std::uint32_t>(std::find(members.begin(), members.end(), options_.rank) - members.begin());
    mine_ = Inbox(options_.inboxes[me_]);
    sources_used_ = &mine_.sources_used();
    for (std::uint32_t k = 0; k < members.size(); ++k) {
      const auto r = static_cast<std::size_t>(members[k]);
      index_[r] = k;
      auto source = std::make_unique<Source>();
      source->from = members[k];
      source->area = mine_.area(k);
      source->messages = RingReceiver(source->area.messages, mine_.geometry().message_ring);
      source->control = RingReceiver(source->area.control, mine_.geometry().control_ring);
      sources_.push_back(std::move(source));
      used_.push_back(&mine_.used(k));
      if (k == me_) continue;
      auto out = std::make_unique<Outbound>();
      out->inbox = Inbox(options_.inboxes[k]);
      out->area = out->inbox.area(me_);
      const InboxGeometry& g = out->inbox.geometry();
      new (&out->messages) RingSender(out->area.messages, g.message_ring);
      new (&out->control) RingSender(out->area.control, g.control_ring);
      message_bytes_ = std::min(message_bytes_, ring::message_bytes(g.message_ring));
      slot_bytes_ = std::min(slot_bytes_, static_cast<std::size_t>(g.slot_bytes));
      senders_[r] = &out->messages;
      wakeups_[r] = &out->inbox.wakeup();
      used_there_[r] = &out->inbox.used(me_);
      outbound_[r] = std::move(out);
    }
    message_bytes_ = std::min(message_bytes_, ring::message_bytes(mine_.geometry().message_ring));
    slot_bytes_ = std::min(slot_bytes_, static_cast<std::size_t>(mine_.geometry().slot_bytes));
  }

  std::string_view name() const override { return options_.name; }
  Rank rank() const override { return options_.rank; }
  Rank size() const override { return options_.size; }
  int node_of(Rank rank) const override { return options_.nodes.empty() ? 0 : options_.nodes[rank]; }
  bool shares_addresses(Rank) const override { return options_.one_process; }
  std::size_t slot_bytes() const override { return slot_bytes_; }
  std::size_t message_bytes() const override { return message_bytes_; }
  // Bytes that others have written in this rank's inbox; the system has not allocated its other pages.
  std::size_t memory_bytes() const override {
    std::size_t bytes = ring_bytes();
    for (const auto& source : sources_) bytes += source->area.touched->load(std::memory_order_relaxed);
    return bytes;
  }

  Busy acquire(Rank to, Slot& slot) override {
    Outbound& out = towards(to);
    const std::uint32_t slots = out.inbox.geometry().slots;
    for (std::uint32_t k = 0; k < slots; ++k) {
      std::uint32_t expected = Inbox::kFree;
      auto& word = out.area.words[k];
      if (word.load(std::memory_order_relaxed) != Inbox::kFree) continue;
      if (!word.compare_exchange_strong(expected, Inbox::kHeld, std::memory_order_acquire)) continue;
      slot = {out.area.slot(k), slot_bytes_, to, k};
      return Busy::no;
    }
    return Busy::no_slot;
  }

  void publish(const Slot& slot, std::size_t bytes) override {
    ATOLL_ASSERT(bytes > 0 && bytes <= slot.capacity);
    Outbound& out = towards(slot.to);
    if (bytes > out.touched[slot.ticket]) [[unlikely]]
      out.touch(slot.ticket, bytes);
    out.area.words[slot.ticket].store(Inbox::kFull + static_cast<std::uint32_t>(bytes), std::memory_order_release);
    out.inbox.published().fetch_add(1, std::memory_order_release);
    out.inbox.wakeup().ring();
  }

  void abandon(const Slot& slot) override {
    towards(slot.to).area.words[slot.ticket].store(Inbox::kFree, std::memory_order_release);
  }

  Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) override {
    Outbound& out = towards(to);
    const Busy busy = traffic == Traffic::control ? out.control.push(note, bytes.data(), bytes.size())
                                                  : out.messages.push(note, bytes.data(), bytes.size());
    if (busy == Busy::no) out.inbox.wakeup().ring();
    return busy;
  }

  bool can_put(Rank) const override { return false; }
  Busy expose(Rank, std::span<std::byte>, std::uint64_t, PutTarget&) override { return Busy::no_memory; }
  Busy put(Rank, const PutTarget&, std::span<const std::byte>, std::uint64_t) override { return Busy::no_memory; }

  int poll(std::span<Packet> packets, TrafficSet wanted) override {
    if (!scan_.try_lock()) return 0;
    std::lock_guard hold(scan_, std::adopt_lock);
    // If nothing was published since the last scan that found nothing, no slot is full. The count is read before the
    // sources: a packet that a new source publishes in between is counted when it becomes visible.
    const std::uint32_t published = mine_.published().load(std::memory_order_acquire);
    find_active();
    if (active_.empty()) return 0;
    const bool shuffled = shuffled_;
    const bool bulk = contains(wanted, Traffic::bulk) && published != quiet_at_;
    bool all_seen = bulk;
    std::size_t n = 0;
    const std::size_t first = shuffled ? random_.below(active_.size()) : turn_;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      Source& source = *active_[(first + i) % active_.size()];
      if (source.control.reclaim()) freed(source);
      if (source.messages.reclaim()) freed(source);
      if (contains(wanted, Traffic::control)) take_ring(source.control, Packet::What::control, source.from, packets, n);
      if (contains(wanted, Traffic::message))
        take_ring(source.messages, Packet::What::message, source.from, packets, n);
      if (bulk && !take_bulk(source, packets, n)) all_seen = false;
      if (n == packets.size()) {
        turn_ = (first + i) % active_.size();
        return static_cast<int>(n);
      }
    }
    if (all_seen && n == 0) quiet_at_ = published;
    return static_cast<int>(n);
  }

  void release(const Packet& packet) override {
    Source& source = *sources_[index_[packet.from]];
    if (packet.what == Packet::What::message) return source.messages.release(packet.ticket);
    if (packet.what == Packet::What::control) return source.control.release(packet.ticket);
    source.area.words[packet.ticket].store(Inbox::kFree, std::memory_order_release);
    freed(source);
  }

  bool wait(double timeout_s, TrafficSet wanted) override {
    constexpr double kShortNap_s = 0.001;
    const double nap_s = std::max(kShortNap_s, timeout_s / 4);
    Wakeup& wakeup = mine_.wakeup();
    const std::uint32_t seen = wakeup.rings.load(std::memory_order_acquire);
    const Timer timer;
    wakeup.sleepers.fetch_add(1, std::memory_order_seq_cst);
    bool here = anything(wanted);
    for (double left = timeout_s; !here && left > 0; left = timeout_s - timer.seconds()) {
      wakeup.sleep(seen, std::min(left, nap_s));
      here = wakeup.rings.load(std::memory_order_acquire) != seen || anything(wanted);
    }
    wakeup.sleepers.fetch_sub(1, std::memory_order_relaxed);
    return here;
  }

  void wake() override { mine_.wakeup().wake(); }
  Rings* rings() override { return this; }
  void abort(int exit_code) noexcept override { options_.abort(exit_code); }
  void close() override {}

  void announce(Rank to) override {
    Inbox& inbox = outbound_[to]->inbox;
    if (inbox.used(me_).exchange(1, std::memory_order_acq_rel) == 0)
      inbox.sources_used().fetch_add(1, std::memory_order_release);
  }

 private:
  Outbound& towards(Rank to) {
    Rings::to(to);
    return *outbound_[to];
  }

  // With a seed a ring is skipped every other time, which delays messages but keeps the order of each pair.
  void take_ring(RingReceiver& ring, Packet::What what, Rank from, std::span<Packet> packets, std::size_t& n) {
    if (delayed()) return;
    RingMessage m;
    while (n < packets.size() && ring.next(m)) {
      packets[n++] = {m.data, m.bytes, from, m.ticket, what, m.note, 0};
      if (delayed()) return;
    }
  }

  // False if a full slot remains.
  bool take_bulk(Source& source, std::span<Packet> packets, std::size_t& n) {
    const bool shuffled = shuffled_;
    const std::uint32_t slots = mine_.geometry().slots;
    const auto start = shuffled ? static_cast<std::uint32_t>(random_.below(slots)) : 0;
    bool all = true;
    for (std::uint32_t j = 0; j < slots; ++j) {
      const std::uint32_t k = (start + j) % slots;
      const std::uint32_t word = source.area.words[k].load(std::memory_order_acquire);
      if (word < Inbox::kFull) continue;
      if (n == packets.size() || (shuffled && (random_() & 1))) {
        all = false;
        continue;
      }
      source.area.words[k].store(Inbox::kTaken, std::memory_order_relaxed);
      packets[n++] = {source.area.slot(k), word - Inbox::kFull, source.from, k, Packet::What::bulk, {}, 0};
    }
    return all;
  }

  bool anything(TrafficSet wanted) {
    if (!scan_.try_lock()) return true;
    std::lock_guard hold(scan_, std::adopt_lock);
    find_active();
    if (contains(wanted, Traffic::bulk) && mine_.published().load(std::memory_order_acquire) != quiet_at_) return true;
    return std::any_of(active_.begin(), active_.end(), [&](Source* s) {
      return (contains(wanted, Traffic::message) && !s->messages.empty()) ||
             (contains(wanted, Traffic::control) && !s->control.empty());
    });
  }

  const NodeFabricOptions options_;
  std::uint32_t me_ = 0;
  Inbox mine_;
  std::vector<std::unique_ptr<Outbound>> outbound_;  // [rank]; null: not of this node, or this rank
  std::size_t message_bytes_ = SIZE_MAX, slot_bytes_ = SIZE_MAX;
  std::uint32_t quiet_at_ = 0;  // under scan_
};

std::unique_ptr<Fabric> make_node_fabric(NodeFabricOptions options) {
  return std::make_unique<NodeFabric>(std::move(options));
}

}  // namespace atl
