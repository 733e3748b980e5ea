// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/start_thread.hpp>
#include <atoll/transport/mpi/arrivals.hpp>
#include <atoll/transport/mpi/endpoint.hpp>
#include <atoll/transport/mpi/send_queue.hpp>
#include <atoll/transport/mpi/sends.hpp>
#include <atoll/transport/mpi/tags.hpp>
#include <new>

// The MPI-Probe layer of [1, III.B] as a fabric: the baseline, with the paper's choices.
//
//   in the paper                               here
//   Enq: thread-safe queue, one consumer       queue_ (SendQueue); acquire, publish and send only fill and push
//   communication thread, the only MPI caller  communicate(): repeated calls of pass()
//   buffering of small items                   add(): below eager_bytes items are combined, until they are large enough
//                                              or the oldest has waited eager_timeout_s; control is sent at once
//   MPI_ISEND                                  sends_
//   MPI_IPROBE, MPI_IRECV, MPI_TEST            probe(), pending_
//   Deq                                        arrivals_, which poll() empties
//   memory is controlled by the layer          each kind's Outbox: a sender gets no slots beyond the window
//
// Instead of FUNNELED it runs with SERIALIZED and a lock: MPI is initialised by the program's thread (mpi4py, or a
// job's main thread, which also ends it), not by this layer's. Below MULTIPLE neither library locks anything, so the
// level costs nothing, and our lock is contended only at start and end.
//
// With `mprobe` it does what Gemini does [1, IV.B]: every thread that publishes sends for itself without buffering, and
// every thread that polls receives, by MPI_Improbe and MPI_Imrecv (MPI_THREAD_MULTIPLE). Two threads may then finish
// two messages of a peer in either order: messages are numbered and delivered in order.
//
// [1] H.-V. Dang et al. "A Lightweight Communication Runtime for Distributed Graph Analytics."
namespace atl::mpi {
namespace {

constexpr std::int32_t kMessageWindow = 64, kControlWindow = 64;
// Length of the communication thread's naps when nothing has moved for about a millisecond.
constexpr double kNap_s = 50e-6;

class Probe final : public Endpoint {
 public:
  Probe(const MpiOptions& options, const std::optional<Launcher>& launcher)
      : Endpoint(options, options.mprobe ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED, launcher),
        mprobe_(options.mprobe),
        eager_bytes_((options.eager_bytes + 15) / 16 * 16),
        eager_timeout_s_(options.eager_timeout_s),
        outboxes_{Outbox(size_, slot_bytes_, options.slots_per_peer, 2 * options.slots_per_peer, options.budget_bytes),
                  Outbox(size_, message_bytes_, kMessageWindow, kMessageWindow, SIZE_MAX),
                  Outbox(size_, kControlBytes, kControlWindow, kControlWindow, SIZE_MAX),
                  Outbox(size_, 0, INT32_MAX, Outbox::kNoWindow, SIZE_MAX),
                  Outbox(size_, eager_bytes_, INT32_MAX, Outbox::kNoWindow, SIZE_MAX)},
        arrivals_(size_, {Releases(size_, 2 * options.slots_per_peer), Releases(size_, kMessageWindow),
                          Releases(size_, kControlWindow)}),
        buffers_(static_cast<std::size_t>(size_)),
        messages_to_(static_cast<std::size_t>(size_)) {
    check(eager_bytes_ >= item_bytes(kControlBytes), "eager_bytes is {} (at least {}, a control packet). Raise it.",
          options.eager_bytes, item_bytes(kControlBytes));
    if (size_ > 1) thread_ = start_thread("the communication thread", [this] { communicate(); });
  }

  ~Probe() override {
    stop();
    if (closed_) return;
    // Reached by an exception or a garbage collector, so it must not communicate. MPI keeps the memory that it may
    // access.
    std::vector<MPI_Request> receives;
    for (Pending& p : pending_) receives.push_back(p.request);
    for (Outbox& o : outboxes_) o.leak();
    arrivals_.leak();
    abandon_session(std::move(receives));
  }

  std::string_view name() const override { return mprobe_ ? "mpi_mprobe" : "mpi_probe"; }
  std::size_t memory_bytes() const override {
    std::size_t bytes = arrivals_.bytes();
    for (const Outbox& o : outboxes_) bytes += o.bytes();
    return bytes;
  }

  Busy acquire(Rank to, Slot& slot) override { return outboxes_[kBulk].take(to, slot); }
  void publish(const Slot& slot, std::size_t bytes) override {
    ATOLL_ASSERT(bytes > 0 && bytes <= slot.capacity);
    push(slot, kBulk, {}, bytes);
  }
  void abandon(const Slot& slot) override { outboxes_[kBulk].abandon(slot); }

  Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) override {
    ATOLL_ASSERT(traffic != Traffic::bulk);
    const int kind = traffic == Traffic::message ? kMessage : kControl;
    Slot slot;
    const Busy busy = outboxes_[kind].take(to, slot);
    if (busy != Busy::no) return busy;
    if (!bytes.empty()) std::memcpy(slot.data, bytes.data(), bytes.size());
    push(slot, kind, note, bytes.size());
    return Busy::no;
  }

  // The paper's layer moves only buffers.
  bool can_put(Rank) const override { return false; }
  Busy expose(Rank, std::span<std::byte>, std::uint64_t, PutTarget&) override { return Busy::no_memory; }
  Busy put(Rank, const PutTarget&, std::span<const std::byte>, std::uint64_t) override { return Busy::no_memory; }

  int poll(std::span<Packet> packets, TrafficSet wanted) override {
    if (failed_.load(std::memory_order_acquire)) std::rethrow_exception(error_);
    int n = arrivals_.take(packets, wanted);
    if (n == 0 && mprobe_ && receive_matched()) n = arrivals_.take(packets, wanted);
    if (n == 0 && mprobe_) collect();
    return n;
  }

  void release(const Packet& packet) override {
    const int kind = static_cast<int>(packet.what);
    const std::int32_t credit = arrivals_.release(packet);
    if (credit == 0) return;
    Slot slot;
    outboxes_[kCredit].take(packet.from, slot);
    push(slot, kCredit, {static_cast<std::uint32_t>(credit), static_cast<std::uint8_t>(kind)}, 0);
  }

  bool wait(double timeout_s, TrafficSet wanted) override {
    return nap_until(
        timeout_s,
        [&] {
          if (mprobe_) receive_matched();
          return arrivals_.has(wanted);
        },
        [] { return false; });
  }

  void close() override {
    if (closed_) return;
    stop();
    if (size_ > 1) {
      do pass(Flush::all);
      while (is_sending() || !open_.empty());
      take_last_messages();
    }
    close_endpoint();
  }

 private:
  static constexpr int kBulk = 0, kMessage = 1, kControl = 2, kCredit = Arrivals::kCredit, kBuffer = 4, kKinds = 5;
  enum class Flush { as_due, all };

  // Stored before the bytes of a slot: its link in the queue, with its ItemHead at the end.
  struct Item : Queued {
    Rank to;
    std::uint32_t ticket;
  };
  static_assert(sizeof(Item) + sizeof(ItemHead) <= SlotMemory::kSlotHead);
  static std::byte* data_of(Item* item) { return reinterpret_cast<std::byte*>(item) + SlotMemory::kSlotHead; }

  // Small items to one peer, not yet sent.
  struct Buffer {
    Slot slot;  // data is null: none is open
    std::size_t used = 0;
    double since = 0;
  };
  struct Sent {
    int kind;
    Rank to;
    std::uint32_t ticket;
  };
  struct Pending {
    MPI_Request request;
    Arrival arrival;
    Rank from;
  };

  // ---- any thread ----

  void push(const Slot& slot, int kind, Note note, std::size_t bytes) {
    const ItemHead head{static_cast<std::uint32_t>(bytes), note.tag, note.type, static_cast<std::uint8_t>(kind), {}, 0};
    std::memcpy(slot.data - sizeof head, &head, sizeof head);
    if (mprobe_) return send(kind, slot.data - sizeof head, sizeof head + bytes, slot.to, slot.ticket);
    Item* item = new (slot.data - SlotMemory::kSlotHead) Item;
    item->to = slot.to;
    item->ticket = slot.ticket;
    queue_.push(item);
  }

  void arrive(Rank from, const Arrival& arrival) {
    arrivals_.arrive(from, arrival, [&](std::uint8_t kind, std::uint32_t credit) {
      outboxes_[kind].released(from, static_cast<std::int32_t>(credit));
    });
  }

  // mprobe: receives one message; the match makes it this thread's alone. Needs no lock of ours.
  bool receive_matched() {
    int here = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    call(MPI_Improbe(MPI_ANY_SOURCE, kBulkTag, comm_, &here, &message, &status), "MPI_Improbe");
    if (!here) return false;
    call(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    const Arrival arrival = arrivals_.make(static_cast<std::size_t>(bytes));
    MPI_Request request;
    call(MPI_Imrecv(arrival.data, bytes, MPI_BYTE, &message, &request), "MPI_Imrecv");
    finish(request, "MPI_Imrecv");
    arrive(status.MPI_SOURCE, arrival);
    return true;
  }

  // ---- the communication thread; under mpi_ ----

  void communicate() {
    try {
      Timer idle;
      for (Backoff backoff; !stopping_.load(std::memory_order_acquire);) {
        bool moved = false, waiting = false;
        {
          std::lock_guard hold(mpi_);
          moved = pass(Flush::as_due);
          waiting = !open_.empty() || is_sending() || !pending_.empty();
        }
        if (moved) {
          backoff.reset();
          idle.lap();
        } else if (waiting) {
          backoff.pause_or_sleep();
        } else if (!backoff.pause()) {
          std::this_thread::sleep_for(std::chrono::duration<double>(Backoff::nap_s(idle.seconds(), kNap_s)));
        }
      }
    } catch (...) {
      error_ = std::current_exception();
      failed_.store(true, std::memory_order_release);
      wake();
    }
  }

  bool pass(Flush flush) {
    bool moved = false;
    constexpr int kBatch = 64;  // items between two polls for messages
    for (int i = 0; i < kBatch; ++i) {
      Queued* queued = queue_.pop();
      if (!queued) break;
      add(static_cast<Item*>(queued));
      moved = true;
    }
    const double now = clock_.seconds();
    while (!open_.empty()) {
      const auto [to, since] = open_.front();
      const Buffer& buffer = buffers_[to];
      const bool stale = !buffer.slot.data || buffer.since != since;  // already sent because it was full
      if (!stale && flush == Flush::as_due && now - since < eager_timeout_s_) break;
      open_.pop_front();
      if (!stale) send_buffer(to);
    }
    moved |= collect();
    return (mprobe_ ? receive_matched() : probe()) || moved;
  }

  bool is_sending() {
    std::lock_guard hold(sending_);
    return !sends_.empty();
  }
  bool collect() {
    std::lock_guard hold(sending_);
    return sends_.collect([&](const Sent& s) { outboxes_[s.kind].give_back(s.to, s.ticket); });
  }

  void add(Item* item) {
    std::byte* data = data_of(item);
    const Sent sent{0, item->to, item->ticket};
    ItemHead head;
    std::memcpy(&head, data - sizeof head, sizeof head);
    const std::size_t bytes = item_bytes(head.bytes);
    Buffer& buffer = buffers_[sent.to];
    if (bytes > eager_bytes_) {
      if (buffer.slot.data) send_buffer(sent.to);
      send(head.kind, data - sizeof head, sizeof head + head.bytes, sent.to, sent.ticket);
      return;
    }
    if (buffer.slot.data && buffer.used + bytes > eager_bytes_) send_buffer(sent.to);
    if (!buffer.slot.data) {
      outboxes_[kBuffer].take(sent.to, buffer.slot);
      buffer.used = 0;
      buffer.since = clock_.seconds();
      open_.emplace_back(sent.to, buffer.since);
    }
    std::memcpy(buffer.slot.data + buffer.used, data - sizeof head, sizeof head + head.bytes);
    buffer.used += bytes;
    outboxes_[head.kind].give_back(sent.to, sent.ticket);
    if (head.kind == kControl || buffer.used == eager_bytes_) send_buffer(sent.to);
  }

  void send_buffer(Rank to) {
    Buffer& buffer = buffers_[to];
    send(kBuffer, buffer.slot.data, buffer.used, to, buffer.slot.ticket);
    buffer.slot.data = nullptr;
  }

  // `data` begins with an ItemHead. With mprobe any thread may call it; MPI is called outside the lock.
  void send(int kind, std::byte* data, std::size_t bytes, Rank to, std::uint32_t ticket) {
    const std::uint32_t number = messages_to_[to].fetch_add(1, std::memory_order_relaxed);
    std::memcpy(data + offsetof(ItemHead, number), &number, sizeof number);
    const MPI_Request request = Sends<Sent>::begin(data, bytes, to, kBulkTag, comm_);
    if (request == MPI_REQUEST_NULL) {
      outboxes_[kind].give_back(to, ticket);
    } else {
      std::lock_guard hold(sending_);
      sends_.keep(request, {kind, to, ticket});
    }
  }

  bool probe() {
    bool moved = false;
    int here = 0, bytes = 0;
    MPI_Status status;
    call(MPI_Iprobe(MPI_ANY_SOURCE, kBulkTag, comm_, &here, &status), "MPI_Iprobe");
    if (here) {
      call(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
      Pending& p = pending_.emplace_back();
      p.arrival = arrivals_.make(static_cast<std::size_t>(bytes));
      p.from = status.MPI_SOURCE;
      call(MPI_Irecv(p.arrival.data, bytes, MPI_BYTE, p.from, kBulkTag, comm_, &p.request), "MPI_Irecv");
      moved = true;
    }
    while (!pending_.empty()) {
      Pending& p = pending_.front();
      int done = 0;
      call(MPI_Test(&p.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (!done) break;
      arrive(p.from, p.arrival);
      pending_.pop_front();
      moved = true;
    }
    return moved;
  }

  void stop() {
    stopping_.store(true, std::memory_order_release);
    if (thread_.joinable()) thread_.join();
  }

  // Credits may still be in flight to this rank; a communicator must be empty when it is freed.
  void take_last_messages() {
    const std::vector<std::uint32_t> sent(messages_to_.begin(), messages_to_.end());
    std::vector<std::uint32_t> expected(sent.size());
    MPI_Request request;
    call(MPI_Ialltoall(sent.data(), 1, MPI_UINT32_T, expected.data(), 1, MPI_UINT32_T, comm_, &request),
         "MPI_Ialltoall");
    for (int done = 0; !done;) {
      call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Ialltoall");
      if (!pass(Flush::all) && !done) std::this_thread::yield();
    }
    std::uint64_t all = 0;
    for (const std::uint32_t n : expected) all += n;
    while (arrivals_.messages() < all)
      if (!pass(Flush::all)) std::this_thread::yield();
  }

  const bool mprobe_;
  const std::size_t eager_bytes_;
  const double eager_timeout_s_;

  Outbox outboxes_[kKinds];  // their own locks
  SendQueue queue_;

  Arrivals arrivals_;

  // Used by the communication thread, under mpi_.
  std::vector<Buffer> buffers_;               // [rank]
  std::deque<std::pair<Rank, double>> open_;  // open buffers, oldest first, with their opening time
  const Timer clock_;
  std::deque<Pending> pending_;

  SpinLock sending_;
  Sends<Sent> sends_;
  std::vector<std::atomic<std::uint32_t>> messages_to_;

  std::atomic<bool> stopping_{false}, failed_{false};
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<MpiFabric> make_probe(const MpiOptions& options, const std::optional<Launcher>& launcher) {
  return std::make_unique<Probe>(options, launcher);
}

}  // namespace atl::mpi
