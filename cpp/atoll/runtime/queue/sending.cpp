// SPDX-License-Identifier: Apache-2.0
// SEND-ENQ, Algorithm 1 of the LCI paper: eager messages, announcements of long ones, messages to the own rank.
#include <atoll/runtime/queue/packet_record.hpp>
#include <cstring>

namespace atl {

// Eager messages without a ring: to the own rank, to other nodes, and the first message to each peer on this node.
Outcome Queue::send_short(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request) {
  if (to == world_.rank()) return send_self(tag, bytes, request);
  if (rings_)
    if (RingSender* ring = rings_->to(to)) links_[to].store(ring, std::memory_order_relaxed);
  const Busy busy = fabric_.send(to, Traffic::message, note(Kind::eager, tag), bytes);
  if (busy != Busy::no) return refused(to, busy);
  count(to, 1, bytes.size());
  request.finish();
  return {Outcome::State::done, Retry::none};
}

Outcome Queue::refused(Rank to, Busy busy) {
  return refused(to, busy == Busy::lock ? Retry::lock : busy == Busy::no_memory ? Retry::no_memory : Retry::backlog);
}

Outcome Queue::refused(Rank to, Retry reason) {
  note_retry(reason);
  if (reason != Retry::empty) world_.note_refusal("queue: send", to);
  if (reason != Retry::lock) progress();  // so that a caller that only retries cannot wait for itself
  return {Outcome::State::retry, reason};
}

Outcome Queue::send_long(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request) {
  if (to == world_.rank()) return send_self(tag, bytes, request);
  const auto number = take(PacketPool::For::user);
  if (!number) return refused(to, Retry::no_packet);
  Packet& p = packet(*number);
  p.peer = to;
  p.tag = tag;
  p.request = &request;
  p.memory = const_cast<std::byte*>(bytes.data());  // only read
  p.bytes = bytes.size();
  p.sent = 0;
  request.begin();
  p.state.store(Packet::State::announced, std::memory_order_release);
  const Rts rts{bytes.size(), *number};  // do not touch the packet after the send: another thread may own it
  const Busy busy = fabric_.send(to, Traffic::message, note(Kind::rts, tag), std::as_bytes(std::span(&rts, 1)));
  if (busy != Busy::no) {
    p.arrived = {};
    p.state.store(Packet::State::free, std::memory_order_relaxed);
    pool_.give(*number);
    request.finish();
    return refused(to, busy);
  }
  count(to, 1, bytes.size());
  return {Outcome::State::posted, Retry::none};
}

Outcome Queue::send_self(std::uint32_t tag, std::span<const std::byte> bytes, Request& request) {
  const Rank me = world_.rank();
  const auto number = take(PacketPool::For::user);
  if (!number) return refused(me, Retry::no_packet);
  Packet& p = packet(*number);
  p.peer = me;
  p.tag = tag;
  p.bytes = bytes.size();
  const bool is_short = bytes.size() <= eager_;
  if (is_short) {
    p.memory = own_memory(*number);
    if (!bytes.empty()) std::memcpy(p.memory, bytes.data(), bytes.size());
    request.finish();
  } else {
    p.memory = const_cast<std::byte*>(bytes.data());
    p.request = &request;
    request.begin();
  }
  p.state.store(is_short ? Packet::State::own_short : Packet::State::own_long, std::memory_order_relaxed);
  if (!arrived_.push(*number)) {
    p.state.store(Packet::State::free, std::memory_order_relaxed);
    pool_.give(*number);
    request.finish();
    return refused(me, Retry::backlog);
  }
  count(me, 1, bytes.size());
  return {is_short ? Outcome::State::done : Outcome::State::posted, Retry::none};
}

std::size_t Queue::send_many(Rank to, std::span<const Short> messages) {
  std::size_t done = 0;
  RingSender* ring = rings_ && to != world_.rank() ? rings_->to(to) : nullptr;
  if (!ring) {
    Request unused;
    while (done < messages.size() &&
           send(to, messages[done].tag, {messages[done].data, messages[done].bytes}, unused).done())
      ++done;
    return done;
  }
  // Published together; more at once would keep the receiver waiting.
  constexpr std::size_t kBatch = 32;
  std::size_t bytes = 0;
  while (done < messages.size()) {
    const std::span some = messages.subspan(done, std::min(kBatch, messages.size() - done));
    const std::size_t sent = ring->push_many(some, note(Kind::eager, 0).type);
    for (const Outgoing& m : some.first(sent)) bytes += m.bytes;
    done += sent;
    if (sent < some.size()) break;
  }
  if (done > 0) {
    rings_->ring(to);
    count(to, done, bytes);
  } else {
    refused(to, Retry::backlog);
  }
  return done;
}

}  // namespace atl
