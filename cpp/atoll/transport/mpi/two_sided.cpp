// SPDX-License-Identifier: Apache-2.0
#include <atoll/transport/mpi/endpoint.hpp>
#include <atoll/transport/mpi/puts.hpp>
#include <atoll/transport/mpi/rma_notifications.hpp>
#include <atoll/transport/mpi/tags.hpp>

// A fabric over two-sided MPI.
//
// Each kind of traffic has a tag, an Outbox with its window, and an Inbox: no kind can exhaust the resources of
// another, and a rank buffers at most ranks * window packets of a kind for others. Credits travel as notices. Small
// messages carry their note in 8 bytes before the data. Puts are matched sends between the two memories.
namespace atl::mpi {
namespace {

// In flight or unreleased, per ordered pair of ranks. 10 M messages/s at a round trip of a few microseconds need some
// tens of messages; control packets are answered one by one.
constexpr std::int32_t kMessagesInFlight = 64, kControlsInFlight = 128;
constexpr int kPosted = 16;  // initial receives of each kind; a poll takes at most two batches

class TwoSided final : public Endpoint {
 public:
  TwoSided(const MpiOptions& options, const std::optional<Launcher>& launcher)
      : Endpoint(options, options.threads ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED, launcher),
        kinds_{Kind{*this, kBulkTag, slot_bytes_, 0, options.slots_per_peer, 2 * options.slots_per_peer,
                    options.budget_bytes, Packet::What::bulk, Traffic::bulk},
               Kind{*this, kMessageTag, message_bytes_, sizeof(Header), kMessagesInFlight, kMessagesInFlight, SIZE_MAX,
                    Packet::What::message, Traffic::message},
               Kind{*this, kControlTag, kControlBytes, sizeof(Header), kControlsInFlight, kControlsInFlight, SIZE_MAX,
                    Packet::What::control, Traffic::control}},
        notices_(comm_, kNoticeTag, size_),
        puts_(comm_) {
    note_memory();
  }

  ~TwoSided() override {
    if (closed_) return;
    // Reached by an exception or a garbage collector, so it must not communicate: peers may be gone. MPI keeps the
    // memory that it may access.
    std::vector<MPI_Request> receives;
    for (Kind& kind : kinds_) {
      kind.inbox.abandon(receives);
      kind.outbox.leak();
    }
    notices_.abandon(receives);
    puts_.abandon(receives);
    abandon_session(std::move(receives));
  }

  std::string_view name() const override { return "mpi"; }
  std::size_t memory_bytes() const override {
    std::size_t bytes = receive_bytes_.load(std::memory_order_relaxed);
    for (const Kind& kind : kinds_) bytes += kind.outbox.bytes();
    return bytes;
  }

  Busy acquire(Rank to, Slot& slot) override {
    Outbox& outbox = kinds_[kBulk].outbox;
    const Busy busy = outbox.take(to, slot);
    if (busy == Busy::no) return busy;
    if (!mpi_.try_lock()) return Busy::lock;
    {
      std::lock_guard hold(mpi_, std::adopt_lock);
      if (!collect()) return busy;
    }
    return outbox.take(to, slot);
  }

  void publish(const Slot& slot, std::size_t bytes) override {
    ATOLL_ASSERT(bytes > 0 && bytes <= slot.capacity);
    std::lock_guard hold(mpi_);
    start(kBulk, slot, bytes);
  }

  void abandon(const Slot& slot) override { kinds_[kBulk].outbox.abandon(slot); }

  Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) override {
    ATOLL_ASSERT(traffic != Traffic::bulk);
    const int k = traffic == Traffic::message ? kMessage : kControl;
    ATOLL_ASSERT(bytes.size() <= kinds_[k].bytes);
    if (!mpi_.try_lock()) return Busy::lock;
    std::lock_guard hold(mpi_, std::adopt_lock);
    Slot slot;
    Busy busy = kinds_[k].outbox.take(to, slot);
    if (busy != Busy::no && collect()) busy = kinds_[k].outbox.take(to, slot);
    if (busy != Busy::no) return busy;
    const Header header{note.tag, note.type, {}};
    std::memcpy(slot.data - sizeof header, &header, sizeof header);
    if (!bytes.empty()) std::memcpy(slot.data, bytes.data(), bytes.size());
    start(k, slot, bytes.size());
    return Busy::no;
  }

  bool can_put(Rank) const override { return true; }

  Busy expose(Rank from, std::span<std::byte> memory, std::uint64_t token, PutTarget& target) override {
    if (!mpi_.try_lock()) return Busy::lock;
    std::lock_guard hold(mpi_, std::adopt_lock);
    return puts_.expose(from, memory, token, target);
  }

  Busy put(Rank to, const PutTarget& target, std::span<const std::byte> source, std::uint64_t token) override {
    if (!mpi_.try_lock()) return Busy::lock;
    std::lock_guard hold(mpi_, std::adopt_lock);
    puts_.put(to, target, source, token);
    return Busy::no;
  }

  int poll(std::span<Packet> packets, TrafficSet wanted) override {
    if (!mpi_.try_lock()) return 0;
    std::lock_guard hold(mpi_, std::adopt_lock);
    if (puts_.any()) puts_.progress(ended_puts_);
    std::size_t n = 0;
    const auto take = [&](std::deque<Packet>& arrived) {
      while (n < packets.size() && !arrived.empty()) {
        packets[n++] = arrived.front();
        arrived.pop_front();
      }
    };
    take(ended_puts_);
    do {
      for (Kind& kind : kinds_)
        if (contains(wanted, kind.traffic)) take(kind.arrived);
    } while (n < packets.size() && receive());
    return static_cast<int>(n);
  }

  void release(const Packet& packet) override {
    std::lock_guard hold(mpi_);
    const int k = static_cast<int>(packet.what);
    kinds_[k].inbox.post(packet.ticket);
    if (const std::int32_t credit = kinds_[k].releases.note(packet.from); credit > 0)
      notices_.send(packet.from, {{k, credit, 0, 0}});
  }

  bool wait(double timeout_s, TrafficSet wanted) override {
    bool moving = false;
    const auto arrived = [&] {
      if (!mpi_.try_lock()) return false;
      std::lock_guard hold(mpi_, std::adopt_lock);
      if (puts_.any()) puts_.progress(ended_puts_);
      moving = puts_.any();
      bool any = !ended_puts_.empty();
      for (const Kind& kind : kinds_) any = any || (contains(wanted, kind.traffic) && !kind.arrived.empty());
      return any || receive() || collect();
    };
    return nap_until(timeout_s, arrived, [&] { return moving; });
  }

  void close() override {
    if (closed_) return;
    sends_.finish_all();
    puts_.finish_all();
    notices_.close([](const RmaNotifications::Words&, Rank) {});
    for (Kind& kind : kinds_) kind.inbox.close();
    close_endpoint();
  }

 private:
  // Index of a kind, as Packet::What counts.
  static constexpr int kBulk = 0, kMessage = 1, kControl = 2, kKinds = 3;
  static_assert(static_cast<int>(Packet::What::bulk) == kBulk && static_cast<int>(Packet::What::control) == kControl);

  // A note, as sent before the bytes of messages and control packets.
  struct Header {
    std::uint32_t tag;
    std::uint8_t type;
    std::uint8_t unused[3];
  };

  struct Kind {
    Kind(const TwoSided& fabric, int tag, std::size_t bytes, std::size_t head, int slots_per_peer, std::int32_t window,
         std::size_t budget, Packet::What what, Traffic traffic)
        : tag(tag),
          bytes(bytes),
          head(head),
          what(what),
          traffic(traffic),
          outbox(fabric.size(), bytes, slots_per_peer, window, budget),
          inbox(fabric.comm_, tag, bytes, head, fabric.size() > 1 ? std::max(kPosted, slots_per_peer) : 0),
          releases(fabric.size(), window) {}

    const int tag;
    const std::size_t bytes, head;
    const Packet::What what;
    const Traffic traffic;
    Outbox outbox;
    Inbox inbox;                 // this and the rest under mpi_
    std::deque<Packet> arrived;  // found by wait(), not wanted when it arrived, or about to be returned
    Releases releases;
  };

  struct Sent {
    int kind;
    Rank to;
    std::uint32_t ticket;
  };

  // ---- under mpi_ ----

  void start(int k, const Slot& slot, std::size_t bytes) {
    const Kind& kind = kinds_[k];
    if (sends_.start(slot.data - kind.head, kind.head + bytes, slot.to, kind.tag, comm_, {k, slot.to, slot.ticket}))
      kinds_[k].outbox.give_back(slot.to, slot.ticket);
  }

  // Collects completed sends and arrived credits; returns whether there were any.
  bool collect() {
    bool found = sends_.collect([&](const Sent& s) { kinds_[s.kind].outbox.give_back(s.to, s.ticket); });
    RmaNotifications::Words words;
    for (Rank from = 0; notices_.take(words, from); found = true)
      kinds_[words.values[0]].outbox.released(from, words.values[1]);
    return found;
  }

  // Moves one packet into its kind's `arrived`; false if there is none. One MPI call tests all kinds, beginning with
  // the one after that served last.
  bool receive() {
    if (size_ == 1) return false;
    MPI_Request next[kKinds];
    for (int i = 0; i < kKinds; ++i) next[i] = kinds_[(turn_ + i) % kKinds].inbox.next();
    int which = 0, here = 0;
    MPI_Status status;
    call(MPI_Testany(kKinds, next, &which, &here, &status), "MPI_Testany");
    if (!here) return false;
    Kind& kind = kinds_[(turn_ + which) % kKinds];
    turn_ = (turn_ + which + 1) % kKinds;
    Packet packet = kind.inbox.take(status);
    packet.what = kind.what;
    if (kind.head > 0) {
      Header header;
      std::memcpy(&header, packet.data - sizeof header, sizeof header);
      packet.note = {header.tag, header.type};
    }
    kind.arrived.push_back(packet);
    note_memory();
    return true;
  }

  void note_memory() {
    std::size_t bytes = 0;
    for (const Kind& kind : kinds_) bytes += kind.inbox.bytes();
    receive_bytes_.store(bytes, std::memory_order_relaxed);
  }

  Kind kinds_[kKinds];
  std::atomic<std::size_t> receive_bytes_{0};
  Sends<Sent> sends_;
  RmaNotifications notices_;
  Puts puts_;
  std::deque<Packet> ended_puts_;
  int turn_ = 0;
};

}  // namespace

std::unique_ptr<MpiFabric> make_two_sided(const MpiOptions& options, const std::optional<Launcher>& launcher) {
  return std::make_unique<TwoSided>(options, launcher);
}

}  // namespace atl::mpi
