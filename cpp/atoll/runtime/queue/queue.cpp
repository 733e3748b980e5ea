// SPDX-License-Identifier: Apache-2.0
// The message queue: its packets, and what it reports. Beside it: sending.cpp, receiving.cpp, rendezvous.cpp. In the
// paper / here:
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
#include <atoll/runtime/queue/packet_record.hpp>

namespace atl {

std::string_view name_of(Retry reason) {
  constexpr std::string_view kNames[] = {"none", "no packet", "no memory", "lock", "backlog", "empty"};
  return kNames[static_cast<std::size_t>(reason)];
}

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

void Queue::note_retry(Retry reason) {
  auto& n = tallies_[Team::this_thread()].retries[static_cast<std::size_t>(reason)];
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
