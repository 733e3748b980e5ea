// SPDX-License-Identifier: Apache-2.0
// RECV-DEQ, Algorithm 2 of the LCI paper: messages are read where they arrived; long ones get memory and an answer.
#include <atoll/runtime/queue/packet_record.hpp>
#include <cstring>

namespace atl {

std::optional<std::uint32_t> Queue::next_packet() {
  if (front_count_.load(std::memory_order_relaxed) > 0) {
    std::lock_guard hold(front_lock_);
    if (!front_.empty()) {
      const std::uint32_t number = front_.front();
      front_.pop_front();
      front_count_.store(static_cast<std::uint32_t>(front_.size()), std::memory_order_relaxed);
      return number;
    }
  }
  return arrived_.pop();
}

std::size_t Queue::take_from_rings(std::span<Message> messages, std::optional<std::uint32_t>& announced) {
  std::size_t n = 0;
  const std::uint8_t mine = note(Kind::eager, 0).type;
  rings_->take([&](Rank from, const RingMessage& m) {
    // Since the caller looked, another thread may have moved earlier messages out of the rings into arrived_. It did so
    // inside take(), so this check sees them.
    if (n == 0 && has_waiting()) return Rings::Next::put_back;
    if (m.note.type == mine) [[likely]] {
      Message& out = messages[n++];
      out.data = m.data;
      out.bytes = m.bytes;
      out.from = from;
      out.tag = m.note.tag;
      out.where_ = Message::Where::ring;
      out.ticket_ = m.ticket;
      return n == messages.size() ? Rings::Next::stop : Rings::Next::go_on;
    }
    const atl::Packet packet{m.data, m.bytes, from, m.ticket, atl::Packet::What::message, m.note, 0};
    if (m.note.type >> 4 != number_)  // for another queue
      return world_.deliver_message(packet) ? Rings::Next::go_on : Rings::Next::put_back;
    if (n > 0) return Rings::Next::put_back;
    announced = record_arrival(packet);
    return announced ? Rings::Next::stop : Rings::Next::put_back;
  });
  return n;
}

Outcome Queue::receive(Message& message, Request& request) {
  if (has_waiting())
    if (const auto number = next_packet()) return open(*number, message, request);
  if (rings_) {
    std::optional<std::uint32_t> announced;
    if (take_from_rings({&message, 1}, announced) == 1) {
      request.finish();
      return {Outcome::State::done, Retry::none};
    }
    if (announced) return open(*announced, message, request);
    // progress() is needed for rendezvous only and takes longer than a look at the rings: look several times first, so
    // that a spinning receiver sees the next message early.
    constexpr std::uint32_t kLooks = 8;
    Tally& mine = tallies_[Team::this_thread()];
    if (world_.all_near() && ++mine.empty_looks % kLooks != 0) return {Outcome::State::retry, Retry::empty};
  }
  progress();
  if (const auto number = next_packet()) return open(*number, message, request);
  note_retry(Retry::empty);
  return {Outcome::State::retry, Retry::empty};
}

std::size_t Queue::receive_many(std::span<Message> messages, Request& request) {
  if (messages.empty()) return 0;
  if (rings_ && !has_waiting()) {
    std::optional<std::uint32_t> announced;
    if (const std::size_t n = take_from_rings(messages, announced); n > 0) {
      request.finish();
      return n;
    }
    if (announced) return open(*announced, messages[0], request) ? 1 : 0;
  }
  const Outcome first = receive(messages[0], request);
  if (first.retry()) return 0;
  std::size_t n = 1;
  while (first.done() && n < messages.size()) {
    const auto number = next_packet();
    if (!number) break;
    const auto state = packet(*number).state.load(std::memory_order_relaxed);
    // a rendezvous needs a request of its own
    if (state != Packet::State::message && state != Packet::State::own_short) {
      push_front(*number);
      break;
    }
    open(*number, messages[n++], request);
  }
  return n;
}

void Queue::push_front(std::uint32_t number) {
  std::lock_guard hold(front_lock_);
  front_.push_front(number);
  front_count_.store(static_cast<std::uint32_t>(front_.size()), std::memory_order_relaxed);
}

Outcome Queue::open(std::uint32_t number, Message& message, Request& request) {
  Packet& p = packet(number);
  message.from = p.peer;
  message.tag = p.tag;
  message.bytes = p.bytes;
  message.packet_ = number;
  switch (p.state.load(std::memory_order_relaxed)) {
    case Packet::State::message:
      message.data = p.arrived.data;
      message.where_ = Message::Where::fabric;
      break;
    case Packet::State::own_short:
      message.data = p.memory;
      message.where_ = Message::Where::packet;
      break;
    default:
      return accept(number, message, request);
  }
  request.finish();
  return {Outcome::State::done, Retry::none};
}

// Allocates memory for an announced message and answers the announcement.
Outcome Queue::accept(std::uint32_t number, Message& message, Request& request) {
  Packet& p = packet(number);
  std::byte* memory = nullptr;
  try {
    memory = options_.allocate ? options_.allocate(p.bytes) : new (std::nothrow) std::byte[p.bytes];
  } catch (...) {
    push_front(number);
    throw;
  }
  if (!memory) {
    const Rank from = p.peer;
    push_front(number);  // from here on another thread may own the packet
    return refused(from, Retry::no_memory);
  }
  message.data = memory;
  message.where_ = Message::Where::allocated;
  if (p.state.load(std::memory_order_relaxed) == Packet::State::own_long) {
    std::memcpy(memory, p.memory, p.bytes);
    finish(number);
    request.finish();
    return {Outcome::State::done, Retry::none};
  }
  p.memory = memory;
  p.request = &request;
  p.missing.store(p.bytes, std::memory_order_relaxed);
  p.state.store(Packet::State::answering, std::memory_order_relaxed);
  request.begin();
  if (!advance(number)) activate(number);
  return {Outcome::State::posted, Retry::none};
}

void Queue::release_other(Message& message) {
  switch (std::exchange(message.where_, Message::Where::nowhere)) {
    case Message::Where::nowhere:
      return;
    case Message::Where::ring:
      rings_->release(message.from, message.ticket_);
      return;
    case Message::Where::fabric:
      fabric_.release(packet(message.packet_).arrived);
      [[fallthrough]];
    case Message::Where::packet:
      packet(message.packet_).arrived = {};
      packet(message.packet_).state.store(Packet::State::free, std::memory_order_relaxed);
      pool_.give(message.packet_);
      return;
    case Message::Where::allocated:
      auto* memory = const_cast<std::byte*>(message.data);
      if (options_.free) {
        options_.free(memory, message.bytes);
      } else {
        delete[] memory;
      }
      return;
  }
}

}  // namespace atl
