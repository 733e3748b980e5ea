// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/aggregation/packet_dispatcher.hpp>
#include <atoll/runtime/queue/communication_thread.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/transport/shared_memory/node_fabric.hpp>
#include <cstring>

namespace atl {

PacketDispatcher::PacketDispatcher(World& world, Fabric& fabric) : world_(world), fabric_(fabric) {
  if (Rings* rings = fabric.rings()) {
    rings_reach_all_ = true;
    for (Rank r = 0; r < fabric.size(); ++r)
      rings_reach_all_ = rings_reach_all_ && (r == fabric.rank() || rings->reaches(r));
  }
}

PacketDispatcher::~PacketDispatcher() = default;

void PacketDispatcher::begin_thread(int number) {
  thread_ = std::make_unique<CommunicationThread>(*this, fabric_, number);
  thread_->begin();
}

void PacketDispatcher::end_thread() {
  if (thread_) thread_->end();
  thread_.reset();
}

// ---- bulk packets ---------------------------------------------------------------------------------------------------

std::uint32_t PacketDispatcher::open_channel(Channels::Deliver deliver, void* context, Channels::Runs runs) {
  const CommunicationThread::Pause quiet(thread_.get());
  std::lock_guard hold(unexpected_.mutex);
  const std::uint32_t number = channels_.open(deliver, context, runs);
  // Packets of faster peers may wait for this channel. The next progress() delivers them, not this call, so that the
  // caller can finish setting up.
  unexpected_.retry.store(!unexpected_.packets.empty(), std::memory_order_release);
  return number;
}

void PacketDispatcher::close_channel(std::uint32_t channel) {
  const CommunicationThread::Pause quiet(thread_.get());
  std::lock_guard hold(unexpected_.mutex);
  channels_.close(channel);
}

bool PacketDispatcher::deliver_bulk(const Packet& packet) {
  Channels::Header header;
  std::memcpy(&header, packet.data, sizeof header);
  const Channels::Channel* c = channels_.find(header.channel);
  if (!c) {
    std::lock_guard hold(unexpected_.mutex);
    c = channels_.find(header.channel);
    if (!c && channels_.has_been(header.channel)) return true;  // the channel was closed: drop what still arrives
    if (!c) {
      unexpected_.packets.push_back(packet);
      return false;
    }
  }
  if (c->runs == Channels::Runs::on_the_team && thread_ && thread_->is_this_thread()) {
    thread_->park(packet);
    return false;
  }
  c->deliver(c->context, packet.from, header.stamp, packet.data + World::kHeaderBytes,
             packet.bytes - World::kHeaderBytes);
  return true;
}

// ---- messages -------------------------------------------------------------------------------------------------------

int PacketDispatcher::open_messages(const MessageSink& sink) {
  const CommunicationThread::Pause quiet(thread_.get());
  check(next_sink_ < static_cast<int>(sinks_.size()), "a {}th queue (at most {} in a World). Use tags.", next_sink_ + 1,
        sinks_.size());
  sinks_[next_sink_] = sink;
  if (!sink.control_only) ++open_sinks_;
  unexpected_.retry.store(true, std::memory_order_release);
  return next_sink_++;
}

void PacketDispatcher::close_messages(int number) {
  const CommunicationThread::Pause quiet(thread_.get());
  if (!sinks_[number].control_only) --open_sinks_;
  sinks_[number] = {};
}

bool PacketDispatcher::deliver_message(const Packet& packet) {
  const std::size_t number = packet.note.type >> 4;
  const MessageSink& sink = sinks_[number];
  if (is_gone(number)) {
    fabric_.release(packet);
    return true;
  }
  return sink.take && sink.take(sink.context, packet) != Taken::no;
}

std::string PacketDispatcher::describe_sinks() const {
  std::string text;
  for (int i = 0; i < next_sink_; ++i)
    if (const MessageSink& s = sinks_[i]; s.describe) text += "; " + s.describe(s.context);
  return text;
}

// ---- both -----------------------------------------------------------------------------------------------------------

// True if the packet can be released.
bool PacketDispatcher::deliver(const Packet& packet) {
  world_.thread_state().arrived_level = world_.level_to(packet.from);
  if (packet.what == Packet::What::bulk) [[likely]]
    return deliver_bulk(packet);
  const bool put = packet.what == Packet::What::put_sent || packet.what == Packet::What::put_arrived;
  const std::size_t number = put ? packet.token >> 32 : packet.note.type >> 4;
  const MessageSink& sink = sinks_[number];
  if (is_gone(number)) return !put;
  // While a message of a queue waits, those behind it wait too: another thread may have freed a packet of the queue in
  // between, and then they would overtake it.
  const auto comes_behind = [&] {
    if (packet.what != Packet::What::message || unexpected_.messages.load(std::memory_order_relaxed) == 0) return false;
    std::lock_guard hold(unexpected_.mutex);
    return std::any_of(unexpected_.packets.begin(), unexpected_.packets.end(), [&](const Packet& p) {
      return p.what == Packet::What::message && p.note.type >> 4 == packet.note.type >> 4;
    });
  };
  const Taken taken = sink.take && !comes_behind() ? sink.take(sink.context, packet) : Taken::no;
  if (taken == Taken::no) {
    std::lock_guard hold(unexpected_.mutex);
    unexpected_.packets.push_back(packet);
    unexpected_.messages.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  return taken == Taken::done && !put;
}

void PacketDispatcher::deliver_unexpected() {
  std::vector<Packet> packets;
  {
    std::lock_guard hold(unexpected_.mutex);
    unexpected_.retry.store(false, std::memory_order_relaxed);
    unexpected_.messages.store(0, std::memory_order_relaxed);
    packets.swap(unexpected_.packets);
  }
  for (const Packet& p : packets)
    if (deliver(p)) fabric_.release(p);
}

bool PacketDispatcher::progress() {
  // Under the lock of messages: a waiting message must not be overtaken by one that another thread polls meanwhile.
  if (unexpected_.retry.load(std::memory_order_acquire) && far_messages_.try_lock()) [[unlikely]] {
    std::lock_guard hold(far_messages_, std::adopt_lock);
    deliver_unexpected();
  }
  if (thread_ && !thread_->is_this_thread())
    for (const Packet& p : thread_->take_parked())
      if (deliver(p)) fabric_.release(p);
  // One thread at a time takes messages, in their order, and only when no refused message waits any more.
  bool messages = open_sinks_ > 0 && !rings_reach_all_ && far_messages_.try_lock();
  std::unique_lock<SpinLock> order;
  if (messages) {
    order = std::unique_lock(far_messages_, std::adopt_lock);
    if (unexpected_.messages.load(std::memory_order_relaxed) > 0) deliver_unexpected();
    messages = unexpected_.messages.load(std::memory_order_relaxed) == 0;
  }
  constexpr int kBatch = 16;
  Packet packets[kBatch];
  const int n = fabric_.poll(packets, messages ? kAllTraffic : Traffic::bulk | Traffic::control);
  for (int i = 0; i < n; ++i)
    if (deliver(packets[i])) fabric_.release(packets[i]);
  bool moved = n > 0;
  if (order) order.unlock();
  for (int i = 0; i < next_sink_; ++i)
    if (const MessageSink& s = sinks_[i]; s.pump) moved = s.pump(s.context) || moved;
  if (moved) moved_.store(moved_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return moved;
}

}  // namespace atl
