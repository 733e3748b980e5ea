// SPDX-License-Identifier: Apache-2.0
// NETWORK-PROGRESS, Algorithm 3 of the LCI paper: arrivals, and the bytes of long messages. World::progress() calls it
// on any thread.
#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/queue/packet_record.hpp>
#include <cstring>

namespace atl {

// Takes a packet for a message not yet received; none if there is no packet: the message stays where it is.
std::optional<std::uint32_t> Queue::record_arrival(const atl::Packet& packet) {
  const auto number = take(PacketPool::For::library);
  if (!number) return std::nullopt;
  Packet& p = this->packet(*number);
  p.peer = packet.from;
  p.tag = packet.note.tag;
  if (kind_of(packet.note) == Kind::rts) {
    Rts rts;
    std::memcpy(&rts, packet.data, sizeof rts);
    p.bytes = rts.bytes;
    p.other = rts.packet;
    p.state.store(Packet::State::announced, std::memory_order_relaxed);
    fabric_.release(packet);
  } else {
    p.arrived = packet;
    p.bytes = packet.bytes;
    p.state.store(Packet::State::message, std::memory_order_relaxed);
  }
  return number;
}

bool Queue::enqueue(const atl::Packet& packet) {
  const auto number = record_arrival(packet);
  if (!number) return false;
  while (!arrived_.push(*number)) Backoff::relax();  // it has as many places as there are packets
  return true;
}

// The communication thread moves messages from the rings to arrived_, so that their senders can go on.
bool Queue::pull() {
  bool any = false;
  constexpr int kAtOnce = 64;
  int left = kAtOnce;
  rings_->take([&](Rank from, const RingMessage& m) {
    const atl::Packet packet{m.data, m.bytes, from, m.ticket, atl::Packet::What::message, m.note, 0};
    if (!world_.deliver_message(packet)) return Rings::Next::put_back;
    any = true;
    return --left > 0 ? Rings::Next::go_on : Rings::Next::stop;
  });
  return any;
}

// RTR: the receiver is ready for the message of packet.sender_packet.
void Queue::answer(const atl::Packet& packet) {
  Rtr rtr;
  std::memcpy(&rtr, packet.data, sizeof rtr);
  Packet& p = this->packet(rtr.sender_packet);
  static_cast<void>(p.state.load(std::memory_order_acquire));
  p.other = rtr.receiver_packet;
  p.target = rtr.target;
  p.by_put = rtr.put != 0;
  p.state.store(Packet::State::sending, std::memory_order_relaxed);
  activate(rtr.sender_packet);
}

void Queue::activate(std::uint32_t number) {
  std::lock_guard hold(active_lock_);
  active_.push_back(number);
  active_count_.store(static_cast<std::uint32_t>(active_.size()), std::memory_order_relaxed);
}

// Retries every operation with something left to send; one thread at a time.
bool Queue::pump() {
  const bool pulled =
      rings_ && world_.has_communication_thread() && Team::this_thread() == world_.team().size() && pull();
  return advance_active() || pulled;
}

bool Queue::advance_active() {
  if (active_count_.load(std::memory_order_relaxed) == 0) return false;
  if (!active_lock_.try_lock()) return false;
  std::lock_guard hold(active_lock_, std::adopt_lock);
  bool moved = false;
  for (std::size_t i = 0; i < active_.size();) {
    Packet& p = packet(active_[i]);
    const std::uint64_t before = p.sent;
    const bool over = advance(active_[i]);
    moved = moved || over || p.sent != before;
    if (over) {
      active_[i] = active_.back();
      active_.pop_back();
    } else {
      ++i;
    }
  }
  active_count_.store(static_cast<std::uint32_t>(active_.size()), std::memory_order_relaxed);
  return moved;
}

// Sends what this operation has to send now; true if nothing is left to send.
bool Queue::advance(std::uint32_t number) {
  Packet& p = packet(number);
  const std::uint64_t token = static_cast<std::uint64_t>(number_) << 32 | number;
  if (p.state.load(std::memory_order_relaxed) == Packet::State::answering) {
    Rtr rtr{p.other, number, p.target, p.by_put};
    if (!p.by_put && fabric_.can_put(p.peer)) {
      if (fabric_.expose(p.peer, {p.memory, p.bytes}, token, rtr.target) != Busy::no) return false;
      p.target = rtr.target;
      rtr.put = p.by_put = true;
    }
    // Set the state first: the bytes may arrive and complete the operation before send() returns.
    const Rank to = p.peer;
    p.state.store(Packet::State::receiving, std::memory_order_release);
    if (fabric_.send(to, Traffic::control, note(Kind::rtr, 0), std::as_bytes(std::span(&rtr, 1))) == Busy::no)
      return true;
    p.state.store(Packet::State::answering, std::memory_order_relaxed);
    return false;
  }
  if (p.by_put) return fabric_.put(p.peer, p.target, {p.memory, p.bytes}, token) == Busy::no;
  while (p.sent < p.bytes) {
    Slot slot;
    if (world_.acquire(p.peer, slot) != Busy::no) return false;
    const std::size_t n = std::min<std::uint64_t>(slot.capacity - sizeof p.sent, p.bytes - p.sent);
    std::memcpy(slot.data, &p.sent, sizeof p.sent);
    stream_copy(slot.data + sizeof p.sent, p.memory + p.sent, n);
    world_.publish(channel_, slot, n + sizeof p.sent, World::Hold::briefly, p.other);
    p.sent += n;
  }
  finish(number);
  return true;
}

void Queue::piece(Rank, std::uint32_t number, const std::byte* data, std::size_t bytes) {
  Packet& p = packet(number);
  static_cast<void>(p.state.load(std::memory_order_acquire));
  std::uint64_t offset = 0;
  std::memcpy(&offset, data, sizeof offset);
  const std::size_t n = bytes - sizeof offset;
  std::memcpy(p.memory + offset, data + sizeof offset, n);
  if (p.missing.fetch_sub(n, std::memory_order_acq_rel) == n) finish(number);
}

void Queue::finish(std::uint32_t number) {
  Packet& p = packet(number);
  static_cast<void>(p.state.load(std::memory_order_acquire));
  Request* request = p.request;
  p.state.store(Packet::State::free, std::memory_order_relaxed);
  p.by_put = false;
  pool_.give(number);
  request->finish();
}

}  // namespace atl
