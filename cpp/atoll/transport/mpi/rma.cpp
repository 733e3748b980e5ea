// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atoll/base/start_thread.hpp>
#include <atoll/transport/mpi/endpoint.hpp>
#include <atoll/transport/mpi/items.hpp>
#include <atoll/transport/mpi/put_rendezvous.hpp>
#include <atoll/transport/mpi/tags.hpp>
#include <atoll/transport/mpi/window.hpp>

// The MPI-RMA layer of [1, III.C] as a fabric: packets are put into windows of the receiver.
//
//   in the paper                             here
//   windows on first communication, for      one window per pair of ranks and kind of traffic, made when one of them
//   each datatype and pattern                first sends (PutRendezvous): a Channel
//   sized as if all nodes were active        all that the kind's Outbox lets be in flight to a peer
//   MPI_Win_start, gather, MPI_Put,          drive(): everything queued for the peer, in one epoch
//   MPI_Win_complete
//   MPI_Win_wait, scatter, MPI_Win_post      take(): MPI_Win_test, because nothing may block; packets stay in the
//                                            window; when the last one is released, the next epoch is posted
//   a thread that polls MPI_Iprobe           look_after()
//
// MPI_Win_start may block until the target has posted. The paper's program is bulk-synchronous and may wait; this layer
// may not, so a target that has posted sends a notice, and origins start only after it. All calls are made under one
// lock (SERIALIZED), for the same reason as in probe.cpp.
//
// The source of a put stays unmodified until the target has posted again, although it may be reused once
// MPI_Win_complete returns: MPICH 4.0.2 still read from it later in jobs of three and more ranks (windows of pairs,
// UCX), and packets arrived with the bytes of later ones.
//
// [1] H.-V. Dang et al. "A Lightweight Communication Runtime for Distributed Graph Analytics."
namespace atl::mpi {
namespace {

constexpr int kMessageSlots = 64, kControlSlots = 64;  // per ordered pair
constexpr std::size_t kWindowHead = 64;                // of a window: the number of bytes of items that follow
constexpr int kProgressTag = kNoticeTag + 1;           // never sent
// Length of the polling thread's naps when nothing has moved for about a millisecond.
constexpr double kRmaNap_s = 50e-6;

class Rma final : public Endpoint {
 public:
  Rma(const MpiOptions& options, const std::optional<Launcher>& launcher)
      : Endpoint(options, MPI_THREAD_SERIALIZED, launcher),
        slots_{options.slots_per_peer, kMessageSlots, kControlSlots},
        bytes_{slot_bytes_, message_bytes_, kControlBytes},
        outboxes_{Outbox(size_, slot_bytes_, options.slots_per_peer, Outbox::kNoWindow, options.budget_bytes),
                  Outbox(size_, message_bytes_, kMessageSlots, Outbox::kNoWindow, SIZE_MAX),
                  Outbox(size_, kControlBytes, kControlSlots, Outbox::kNoWindow, SIZE_MAX)},
        channels_(static_cast<std::size_t>(size_)),
        notices_(comm_, kNoticeTag, size_),
        rendezvous_(rank_, notices_, [this](Rank peer, int kind) { make_window(peer, kind); }) {
    if (size_ > 1) thread_ = start_thread("the communication thread", [this] { look_after(); });
  }

  ~Rma() override {
    stop();
    if (closed_) return;
    // Reached by an exception or a garbage collector, so it must not communicate. Windows stay, and MPI keeps the
    // memory that it may access.
    std::vector<MPI_Request> receives;
    notices_.abandon(receives);
    for (Outbox& o : outboxes_) o.leak();
    abandon_session(std::move(receives));
  }

  std::string_view name() const override { return "mpi_rma"; }
  std::size_t memory_bytes() const override {
    std::size_t bytes = window_bytes_.load(std::memory_order_relaxed);
    for (const Outbox& o : outboxes_) bytes += o.bytes();
    return bytes;
  }
  double window_seconds() const override { return window_seconds_.load(std::memory_order_relaxed); }

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

  // A put needs memory that belongs to a window, and creating one is collective.
  bool can_put(Rank) const override { return false; }
  Busy expose(Rank, std::span<std::byte>, std::uint64_t, PutTarget&) override { return Busy::no_memory; }
  Busy put(Rank, const PutTarget&, std::span<const std::byte>, std::uint64_t) override { return Busy::no_memory; }

  int poll(std::span<Packet> packets, TrafficSet wanted) override {
    if (failed_.load(std::memory_order_acquire)) std::rethrow_exception(error_);
    if (!mpi_.try_lock()) return 0;
    std::lock_guard hold(mpi_, std::adopt_lock);
    std::size_t n = 0;
    const auto take = [&] {
      for (int kind = kControl; kind >= kBulk; --kind) {
        if ((wanted & (1 << kind)) == 0) continue;
        for (auto& arrived = arrived_[kind]; n < packets.size() && !arrived.empty(); arrived.pop_front())
          packets[n++] = arrived.front();
      }
    };
    take();
    if (n == 0 && pass()) take();
    return static_cast<int>(n);
  }

  void release(const Packet& packet) override {
    std::lock_guard hold(mpi_);
    const int kind = static_cast<int>(packet.what);
    Channel& channel = channel_of(packet.from, kind);
    if (--channel.items == 0) expose_again(channel, packet.from, kind);
  }

  bool wait(double timeout_s, TrafficSet wanted) override {
    return nap_until(
        timeout_s,
        [&] {
          if (!mpi_.try_lock()) return false;
          std::lock_guard hold(mpi_, std::adopt_lock);
          if (pass()) return true;
          for (int kind = kBulk; kind <= kControl; ++kind)
            if ((wanted & (1 << kind)) != 0 && !arrived_[kind].empty()) return true;
          return false;
        },
        [] { return false; });
  }

  void serve() override {
    if (!mpi_.try_lock()) return;
    std::lock_guard hold(mpi_, std::adopt_lock);
    pass();
  }

  void close() override {
    if (closed_) return;
    stop();
    if (size_ > 1) {
      while (pass()) {
      }
      end_epochs();
      notices_.close([](const RmaNotifications::Words&, Rank) {});
      free_windows();
    }
    close_endpoint();
  }

 private:
  static constexpr int kBulk = 0, kMessage = 1, kControl = 2, kKinds = 3;

  struct Waiting {
    Slot slot;
    std::size_t bytes;
  };
  struct Channel {
    std::optional<Window> window;
    MPI_Group peer = MPI_GROUP_NULL;  // a group of that rank alone, in the pair's communicator
    bool open = false;                // the peer has posted: this rank may start
    bool exposed = false;             // this rank has posted, and the peer has not completed
    bool ended = false;               // the peer will put no more
    std::size_t items = 0;            // in the window and not yet released
    std::uint64_t used = 0;           // bytes put in the last epoch
    std::vector<Waiting> sent;        // slots put in the last epoch, kept until the peer has posted again
    std::vector<Waiting> waiting;     // under waiting_lock_
  };
  struct Peer {
    MPI_Comm pair = MPI_COMM_NULL;
    std::array<Channel, kKinds> channels;
  };

  Channel& channel_of(Rank peer, int kind) { return channels_[peer].channels[kind]; }
  Rank index_in_pair(Rank peer) const { return peer < rank_ ? 0 : 1; }

  // May be called by any thread.
  void push(const Slot& slot, int kind, Note note, std::size_t bytes) {
    const ItemHead head{static_cast<std::uint32_t>(bytes), note.tag, note.type, static_cast<std::uint8_t>(kind), {}, 0};
    std::memcpy(slot.data - sizeof head, &head, sizeof head);
    Channel& channel = channel_of(slot.to, kind);
    {
      std::lock_guard hold(waiting_lock_);
      channel.waiting.push_back({slot, bytes});
    }
    if (!mpi_.try_lock()) return;  // the thread that holds the lock will send it
    std::lock_guard hold(mpi_, std::adopt_lock);
    drive(channel, slot.to, kind);
  }

  // ---- under mpi_ ----

  // Sends everything queued in one epoch, if the peer has posted; returns whether it has.
  bool drive(Channel& channel, Rank to, int kind) {
    if (channel.window && !channel.open) return false;
    {
      std::lock_guard hold(waiting_lock_);
      if (channel.waiting.empty()) return false;
      if (channel.window) channel.sent.swap(channel.waiting);
    }
    if (!channel.window) {
      rendezvous_.want(to, kind);
      return false;
    }
    channel.open = false;
    channel.used = 0;
    channel.window->start(channel.peer);
    for (const Waiting& w : channel.sent) {
      channel.window->put(w.slot.data - sizeof(ItemHead), sizeof(ItemHead) + w.bytes, index_in_pair(to),
                          kWindowHead + channel.used);
      channel.used += item_bytes(w.bytes);
    }
    channel.window->put(&channel.used, sizeof channel.used, index_in_pair(to), 0);
    channel.window->complete();
    return true;
  }

  // Takes the packets that the peer has put, if it has completed.
  bool take(Channel& channel, Rank from, int kind) {
    if (!channel.exposed || !channel.window->test()) return false;
    channel.exposed = false;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, channel.window->data(), sizeof bytes);
    channel.ended = bytes == 0;
    for_each_item(channel.window->data() + kWindowHead, bytes, [&](const ItemHead& head, const std::byte* data) {
      Packet packet;
      packet.data = data;
      packet.bytes = head.bytes;
      packet.from = from;
      packet.what = static_cast<Packet::What>(kind);
      packet.note = {head.tag, head.type};
      arrived_[kind].push_back(packet);
      ++channel.items;
    });
    return true;
  }

  void expose_again(Channel& channel, Rank peer, int kind) {
    channel.exposed = true;
    channel.window->post(channel.peer);
    notices_.send(peer, {{PutRendezvous::others, kind, 0, 0}});
  }

  void on_notification(const RmaNotifications::Words& words, Rank from) {
    const int kind = words.values[1];
    Channel& channel = channel_of(from, kind);
    if (words.values[0] == PutRendezvous::others) {
      channel.open = true;
      for (const Waiting& w : channel.sent) outboxes_[kind].give_back(from, w.slot.ticket);
      channel.sent.clear();
      drive(channel, from, kind);
    } else {
      rendezvous_.on_notification(words, from, channel.window.has_value());
    }
  }

  // Returns whether anything has moved.
  bool pass() {
    bool moved = false;
    RmaNotifications::Words words;
    for (Rank from = 0; notices_.take(words, from); moved = true) on_notification(words, from);
    for (Rank r = 0; r < size_; ++r)
      for (int kind = 0; kind < kKinds; ++kind) {
        Channel& channel = channel_of(r, kind);
        moved |= take(channel, r, kind);
        moved |= drive(channel, r, kind);
      }
    if (rendezvous_.any()) rendezvous_.step();
    return moved;
  }

  // Collective over this rank and `peer`, after their rendezvous.
  void make_window(Rank peer, int kind) {
    const Timer timer;
    std::optional<NodeLock> lock;
    if (rank_ < peer) lock.emplace();
    Peer& p = channels_[peer];
    if (p.pair == MPI_COMM_NULL) {
      const std::array<Rank, 2> both{std::min(rank_, peer), std::max(rank_, peer)};
      MPI_Group group = group_of(comm_, both);
      call(MPI_Comm_create_group(comm_, group, kProgressTag, &p.pair), "MPI_Comm_create_group");
      call(MPI_Group_free(&group), "MPI_Group_free");
    }
    Channel& channel = channel_of(peer, kind);
    const Rank index = index_in_pair(peer);
    channel.peer = group_of(p.pair, {&index, 1});
    const auto slots = static_cast<std::size_t>(slots_[kind]);
    channel.window.emplace(p.pair, kWindowHead + slots * item_bytes(bytes_[kind]));
    window_bytes_.fetch_add(channel.window->bytes(), std::memory_order_relaxed);
    window_seconds_.store(window_seconds_.load(std::memory_order_relaxed) + timer.seconds(), std::memory_order_relaxed);
    expose_again(channel, peer, kind);
  }

  template <class F>
  void for_each_window(F&& f) {  // in the order of the pairs, which is the same on all ranks
    for (Rank r = 0; r < size_; ++r)
      for (int kind = 0; kind < kKinds; ++kind)
        if (Channel& channel = channel_of(r, kind); channel.window) f(channel, r, kind);
  }

  // Called when every rank has received everything. Each exposure is matched by a last, empty epoch, because a window
  // may be freed only when no epoch is open.
  void end_epochs() {
    for_each_window([&](Channel& channel, Rank peer, int kind) {
      if (!channel.exposed && !channel.ended) expose_again(channel, peer, kind);
    });
    for_each_window([&](Channel& channel, Rank peer, int) {
      while (!channel.open)
        if (!pass()) std::this_thread::yield();
      channel.open = false;
      channel.used = 0;
      channel.window->start(channel.peer);
      channel.window->put(&channel.used, sizeof channel.used, index_in_pair(peer), 0);
      channel.window->complete();
    });
    for_each_window([&](Channel& channel, Rank, int) {
      while (!channel.ended)
        if (!pass()) std::this_thread::yield();
    });
  }

  void free_windows() {
    for_each_window([&](Channel& channel, Rank, int) {
      channel.window->free();
      channel.window.reset();
      MPI_Group_free(&channel.peer);
    });
    for (Peer& p : channels_)
      if (p.pair != MPI_COMM_NULL) call(MPI_Comm_free(&p.pair), "MPI_Comm_free");
  }

  void look_after() {
    try {
      Timer idle;
      for (Backoff backoff; !stopping_.load(std::memory_order_acquire);) {
        bool moved = false;
        {
          std::lock_guard hold(mpi_);
          int here = 0;
          call(MPI_Iprobe(MPI_ANY_SOURCE, kProgressTag, comm_, &here, MPI_STATUS_IGNORE), "MPI_Iprobe");
          moved = pass();  // a rendezvous in progress does not count: the peer may be stopped
        }
        if (moved) {
          backoff.reset();
          idle.lap();
        } else if (!backoff.pause()) {
          std::this_thread::sleep_for(std::chrono::duration<double>(Backoff::nap_s(idle.seconds(), kRmaNap_s)));
        }
      }
    } catch (...) {
      error_ = std::current_exception();
      failed_.store(true, std::memory_order_release);
      wake();
    }
  }

  void stop() {
    stopping_.store(true, std::memory_order_release);
    if (thread_.joinable()) thread_.join();
  }

  const std::array<int, kKinds> slots_;
  const std::array<std::size_t, kKinds> bytes_;
  Outbox outboxes_[kKinds];  // their own locks
  SpinLock waiting_lock_;

  // Under mpi_.
  std::vector<Peer> channels_;  // [rank]
  std::deque<Packet> arrived_[kKinds];
  RmaNotifications notices_;
  PutRendezvous rendezvous_;

  std::atomic<std::size_t> window_bytes_{0};
  std::atomic<double> window_seconds_{0};
  std::atomic<bool> stopping_{false}, failed_{false};
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<MpiFabric> make_rma(const MpiOptions& options, const std::optional<Launcher>& launcher) {
  return std::make_unique<Rma>(options, launcher);
}

}  // namespace atl::mpi
