// SPDX-License-Identifier: Apache-2.0
// The message queue. In the paper / here:
//   packet pool P                 pool_, packets_; a packet is the record of an operation, the fabric owns the bytes
//   SEND-ENQ (Algorithm 1)        send(); eager messages need no packet: the fabric's memory is the packet
//   RECV-DEQ (Algorithm 2)        receive(); reads in place instead of copying into memory it allocates
//   Q                             arrived_, bypassed when the receiving thread itself finds the message
//   NETWORK-PROGRESS (Algorithm 3) World::progress(), which calls enqueue(), answer(), piece() and pump()
//   RTS, RTR, RDMA                Kind::rts (a message, in order), Kind::rtr (control), put() or pieces in slots
//
// The printed algorithms complete a request only at RDMA and never free an eager send's packet. Here an eager send is
// done when it is copied, a rendezvous send when its last byte has left the user's memory, a receive when its last byte
// has arrived. Each end frees its own packet at that moment.
#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/queue/queue.hpp>
#include <cstring>

namespace atl {

std::string_view name_of(Retry reason) {
  constexpr std::string_view kNames[] = {"none", "no packet", "no memory", "lock", "backlog", "empty"};
  return kNames[static_cast<std::size_t>(reason)];
}

// The record of one operation.
struct Queue::Packet {
  enum class State : std::uint8_t { free, message, announced, own_short, own_long, sending, answering, receiving };
  // Stored (release) after the rest is written and before the peer learns of the packet; loaded (acquire) when the peer
  // refers to it. Otherwise only the peer's actions would order the two threads.
  std::atomic<State> state{State::free};
  Rank peer = -1;
  std::uint32_t tag = 0;
  std::uint32_t other = 0;  // the peer's packet
  bool by_put = false;
  Request* request = nullptr;
  std::byte* memory = nullptr;  // target, or (const) source
  std::uint64_t bytes = 0;
  std::uint64_t sent = 0;  // bytes that have left, under active_lock_
  std::atomic<std::uint64_t> missing{0};
  Landing landing;
  atl::Packet arrived;  // the fabric's packet, until released
};

Queue::Queue(World& world, QueueOptions options)
    : world_(world),
      options_(std::move(options)),
      fabric_(world.fabric()),
      rings_(world.fabric().rings()),
      eager_(std::min(world.plan().eager_bytes, world.fabric().message_bytes())),
      links_(static_cast<std::size_t>(world.size())),
      arrived_(static_cast<std::uint32_t>(2 * world.plan().packets)),
      pool_(static_cast<std::uint32_t>(world.plan().packets), static_cast<std::uint32_t>(world.plan().packets),
            world.thread_slots()),
      packets_((pool_.size() + kAtOnce - 1) / kAtOnce),
      own_(SharedSegment::anonymous(pool_.size() * std::max<std::size_t>(eager_, 1))),
      tallies_(static_cast<std::size_t>(world.thread_slots())) {
  channel_ = world_.open_channel([](void* self, Rank from, std::uint32_t stamp, const std::byte* data,
                                    std::size_t bytes) { static_cast<Queue*>(self)->piece(from, stamp, data, bytes); },
                                 this, World::Runs::on_any_thread);
  World::MessageSink sink;
  sink.context = this;
  sink.take = [](void* self, const atl::Packet& packet) {
    Queue& q = *static_cast<Queue*>(self);
    if (packet.what == atl::Packet::What::message) return q.enqueue(packet) ? World::Taken::kept : World::Taken::no;
    if (packet.what == atl::Packet::What::control) {
      q.answer(packet);
    } else {
      q.finish(static_cast<std::uint32_t>(packet.token));
    }
    return World::Taken::done;
  };
  sink.pump = [](void* self) { return static_cast<Queue*>(self)->pump(); };
  sink.describe = [](void* self) { return static_cast<Queue*>(self)->describe(); };
  number_ = world_.open_messages(sink);
}

Queue::~Queue() {
  world_.close_messages(number_);
  world_.close_channel(channel_);
  for (const auto& some : packets_) {
    const std::unique_ptr<Packet[]> mine(some.load());
    for (std::uint32_t p = 0; mine && p < kAtOnce; ++p)
      if (const auto state = mine[p].state.load(); state == Packet::State::message || state == Packet::State::announced)
        if (mine[p].arrived.data) fabric_.release(mine[p].arrived);
  }
  world_.note_memory(-static_cast<std::ptrdiff_t>(packet_bytes_.load()));
}

Queue::Packet& Queue::packet(std::uint32_t number) {
  return packets_[number / kAtOnce].load(std::memory_order_acquire)[number % kAtOnce];
}

std::optional<std::uint32_t> Queue::take(PacketPool::For use) {
  const auto number = pool_.take(Team::this_thread(), use);
  if (!number) return std::nullopt;
  auto& some = packets_[*number / kAtOnce];
  if (some.load(std::memory_order_acquire)) [[likely]]
    return number;
  std::unique_ptr<Packet[]> fresh(new (std::nothrow) Packet[kAtOnce]);
  if (!fresh) {
    pool_.give(*number);
    return std::nullopt;
  }
  Packet* none = nullptr;  // another thread may have been faster
  if (some.compare_exchange_strong(none, fresh.get(), std::memory_order_acq_rel)) {
    static_cast<void>(fresh.release());
    constexpr std::size_t kBytes = kAtOnce * sizeof(Packet);
    packet_bytes_.fetch_add(kBytes, std::memory_order_relaxed);
    world_.note_memory(kBytes);
  }
  return number;
}

// ---- sending --------------------------------------------------------------------------------------------------------

// Eager messages without a ring: to the own rank, to other nodes, and the first message to each peer on this node.
Outcome Queue::send_short(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request) {
  if (to == world_.rank()) return send_self(tag, bytes, request);
  if (rings_)
    if (RingSender* ring = rings_->to(to)) links_[static_cast<std::size_t>(to)].store(ring, std::memory_order_relaxed);
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

// ---- receiving ------------------------------------------------------------------------------------------------------

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
    Tally& mine = tallies_[static_cast<std::size_t>(Team::this_thread())];
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

// ---- progress: called by World::progress(), any thread --------------------------------------------------------------

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
  p.landing = rtr.landing;
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
    Rtr rtr{p.other, number, p.landing, p.by_put};
    if (!p.by_put && fabric_.can_put(p.peer)) {
      if (fabric_.expose(p.peer, {p.memory, p.bytes}, token, rtr.landing) != Busy::no) return false;
      p.landing = rtr.landing;
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
  if (p.by_put) return fabric_.put(p.peer, p.landing, {p.memory, p.bytes}, token) == Busy::no;
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

// ---- reports --------------------------------------------------------------------------------------------------------

void Queue::note_retry(Retry reason) {
  auto& n = tallies_[static_cast<std::size_t>(Team::this_thread())].retries[static_cast<std::size_t>(reason)];
  n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

std::array<std::uint64_t, kRetryReasons> Queue::retries() const {
  std::array<std::uint64_t, kRetryReasons> sum{};
  for (const Tally& t : tallies_)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += t.retries[i].load(std::memory_order_relaxed);
  return sum;
}

std::size_t Queue::memory_bytes() const {
  return packet_bytes_.load(std::memory_order_relaxed) + (rings_ ? rings_->ring_bytes() : 0);
}

std::string Queue::describe() {
  const auto r = retries();
  std::string text = fmt::format(
      "queue {}: {} messages wait to be received, {} rendezvous have something to send, {} of "
      "{} packets are free; retries:",
      number_, arrived_.size() + front_count_.load(), active_count_.load(), pool_.free(), pool_.size());
  for (std::size_t i = 1; i < r.size(); ++i)
    if (i != static_cast<std::size_t>(Retry::empty))
      text += fmt::format(" {} {}", r[i], name_of(static_cast<Retry>(i)));
  return text;
}

}  // namespace atl
