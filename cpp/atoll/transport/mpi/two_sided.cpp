// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/array.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/mpi/alltoallv.hpp>
#include <atoll/transport/mpi/session.hpp>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>

// A fabric over two-sided MPI.
//
// Sending: slots come from one pool for all peers and leave by MPI_Isend of exactly the bytes that were
// filled. (A persistent send has a fixed length: with 16 KiB slots it took 5.4 us a round trip for 30 bytes
// instead of 0.28.) Receiving: persistent receives from any source, tested in the order in which they were
// posted, which is the order in which MPI fills them: a poll that finds nothing tests one request, 15-25 ns.
// Credits: an MPI_Isend completes before the receiver has seen anything, so a slow rank would be flooded. A
// rank sends at most `window` packets to a peer beyond those that the peer has released; the peer returns
// half a window by an empty message. So a rank stores at most ranks * window packets for others, whatever
// they do.
namespace atl::mpi {
namespace {

constexpr int kPacketTag = 0, kCreditTag = 1;
constexpr int kCreditReceives = 4;
constexpr std::size_t kSkew = 256;       // slots a power of two apart fall on the same cache sets
constexpr std::size_t kSlotsAtOnce = 8;  // taken from the kernel together

// Equal slots, taken as needed and kept until the end.
class SlotMemory {
 public:
  explicit SlotMemory(std::size_t slot_bytes) : stride_(slot_bytes + kSkew) {}
  std::byte* operator[](std::size_t k) { return blocks_[k / kSlotsAtOnce].data() + k % kSlotsAtOnce * stride_; }
  std::size_t size() const { return blocks_.size() * kSlotsAtOnce; }
  std::size_t bytes() const { return size() * stride_; }
  void grow() { blocks_.emplace_back(kSlotsAtOnce * stride_); }
  /// MPI may still write into the slots: nobody may have their memory.
  void leak() { new std::deque<Array<std::byte>>(std::move(blocks_)); }

 private:
  const std::size_t stride_;
  std::deque<Array<std::byte>> blocks_;
};

struct Peer {
  std::int32_t slots = 0;       // acquired and not yet free again
  std::int32_t unfinished = 0;  // acquired, or sent and not known to be released there
  std::int32_t released = 0;    // packets from there, since the last credit
  std::int32_t credits = 0;     // messages of credit sent there
};

class TwoSided final : public MpiFabric {
 public:
  TwoSided(const MpiOptions& options, const std::optional<Launcher>& launcher)
      : slot_bytes_(options.slot_bytes),
        slots_per_peer_(options.slots_per_peer),
        half_window_(options.slots_per_peer),
        finalize_(options.finalize),
        comm_(open_session(options, launcher)),
        send_memory_(slot_bytes_),
        receive_memory_(slot_bytes_) {
    call(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    call(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    peers_.resize(static_cast<std::size_t>(size_));
    budget_slots_ = options.budget_bytes / (slot_bytes_ + kSkew);
    find_nodes();
    if (size_ == 1) return;
    for (int i = 0; i < std::max(16, 2 * slots_per_peer_); ++i) post_new();
    for (MPI_Request& r : credit_) {
      call(MPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, kCreditTag, comm_, &r), "MPI_Recv_init");
      call(MPI_Start(&r), "MPI_Start");
    }
  }

  ~TwoSided() override {
    if (closed_) return;
    // An exception, or a garbage collector: never communicate here, peers may be gone. MPI keeps what it
    // works with.
    receive_memory_.leak();
    send_memory_.leak();
    std::vector<MPI_Request> receives;
    if (size_ > 1) {
      for (const std::uint32_t k : posted_) receives.push_back(receives_[k].request);
      receives.insert(receives.end(), std::begin(credit_), std::end(credit_));
    }
    abandon_session(std::move(receives));
  }

  std::string_view name() const override { return "mpi"; }
  std::string library() const override { return mpi::library(); }
  Rank rank() const override { return rank_; }
  Rank size() const override { return size_; }
  int node_of(Rank rank) const override { return nodes_[static_cast<std::size_t>(rank)]; }
  std::size_t slot_bytes() const override { return slot_bytes_; }
  std::size_t memory_bytes() const override { return memory_bytes_.load(std::memory_order_relaxed); }

  Busy acquire(Rank to, Slot& slot) override {
    Busy busy = take(to, slot);
    if (busy == Busy::no) return busy;
    if (!mpi_.try_lock()) return Busy::lock;
    {
      std::lock_guard hold(mpi_, std::adopt_lock);
      if (!collect()) return busy;
    }
    return take(to, slot);
  }

  void publish(const Slot& slot, std::size_t bytes) override {
    ATOLL_ASSERT(bytes > 0 && bytes <= slot.capacity);
    MPI_Request request;
    int done = 0;
    {
      std::lock_guard hold(mpi_);
      call(MPI_Isend(slot.data, count_of(bytes), MPI_BYTE, slot.to, kPacketTag, comm_, &request), "MPI_Isend");
      // Mostly copied already; then the next packet goes out from the same, warm slot.
      call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (!done) {
        in_flight_.push_back(request);
        in_flight_slots_.push_back({slot.ticket, slot.to});
      }
    }
    if (done) give_back({slot.ticket, slot.to});
  }

  void abandon(const Slot& slot) override {
    std::lock_guard hold(slots_);
    Peer& peer = peers_[static_cast<std::size_t>(slot.to)];
    --peer.slots;
    --peer.unfinished;
    free_.push_back(slot.ticket);
  }

  int poll(std::span<Packet> packets) override {
    if (!mpi_.try_lock()) return 0;
    std::lock_guard hold(mpi_, std::adopt_lock);
    std::size_t n = 0;
    while (n < packets.size() && (!arrived_.empty() || receive())) {
      packets[n++] = arrived_.front();
      arrived_.pop_front();
    }
    return static_cast<int>(n);
  }

  void release(const Packet& packet) override {
    std::lock_guard hold(mpi_);
    post(packet.ticket);
    Peer& peer = peers_[static_cast<std::size_t>(packet.from)];
    if (++peer.released < half_window_) return;
    peer.released = 0;
    ++peer.credits;
    MPI_Request request;
    call(MPI_Isend(nullptr, 0, MPI_BYTE, packet.from, kCreditTag, comm_, &request), "MPI_Isend");
    int done = 0;
    call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    in_flight_.push_back(request);
    in_flight_slots_.push_back({kNoSlot, packet.from});
  }

  bool wait(double timeout_s) override {
    const std::uint32_t seen = wakes_.load(std::memory_order_acquire);
    const Timer timer;
    // Naps grow: a short wait costs little delay, a long one little of the core that another rank may need.
    for (double nap_s = 10e-6;; nap_s = std::min(2 * nap_s, 250e-6)) {
      if (mpi_.try_lock()) {
        std::lock_guard hold(mpi_, std::adopt_lock);
        if (!arrived_.empty() || receive() || collect()) return true;
      }
      const double left_s = timeout_s - timer.seconds();
      if (left_s <= 0) return false;
      nap_s = std::min(nap_s, left_s);
      const timespec limit{0, static_cast<long>(nap_s * 1e9)};
      syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
      if (wakes_.load(std::memory_order_acquire) != seen) return true;
    }
  }

  void wake() override {
    wakes_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
  }

  void abort(int exit_code) noexcept override { MPI_Abort(comm_, exit_code); }

  void close() override {
    if (closed_) return;
    if (size_ > 1) {
      for (std::size_t i = 0; i < in_flight_.size(); ++i) finish(in_flight_[i], "MPI_Test");
      take_last_credits();
      for (const std::uint32_t k : posted_) cancel(receives_[k].request);
      for (MPI_Request& r : credit_) cancel(r);
    }
    closed_ = true;
    close_session(comm_, finalize_);
  }

  std::vector<std::string> gather_texts(const std::string& mine) override {
    constexpr int kBytes = 256;
    std::vector<char> text(kBytes), all(static_cast<std::size_t>(size_) * kBytes);
    mine.copy(text.data(), kBytes - 1);
    MPI_Request request;
    call(MPI_Iallgather(text.data(), kBytes, MPI_CHAR, all.data(), kBytes, MPI_CHAR, comm_, &request),
         "MPI_Iallgather");
    finish(request, "MPI_Iallgather");
    std::vector<std::string> out;
    for (std::size_t at = 0; at < all.size(); at += kBytes) out.emplace_back(all.data() + at);
    return out;
  }

  double alltoallv(const AlltoallvInput& input) override { return alltoallv_seconds(comm_, input); }

 private:
  static constexpr std::uint32_t kNoSlot = UINT32_MAX;
  struct SlotOf {
    std::uint32_t ticket;
    Rank to;
  };
  struct Receive {
    MPI_Request request;
    std::byte* data;
  };

  // ---- slots; under slots_ ----

  Busy take(Rank to, Slot& slot) {
    std::lock_guard hold(slots_);
    Peer& peer = peers_[static_cast<std::size_t>(to)];
    if (peer.slots >= slots_per_peer_ || peer.unfinished >= 2 * half_window_) return Busy::no_slot;
    if (free_.empty()) {
      // Two slots a peer are outside the budget, so that one that lies half-filled stops nobody.
      if (send_memory_.size() >= budget_slots_ && peer.slots >= 2) return Busy::no_memory;
      const auto first = static_cast<std::uint32_t>(send_memory_.size());
      send_memory_.grow();
      for (std::uint32_t k = kSlotsAtOnce; k-- > 0;) free_.push_back(first + k);
      note_memory();
    }
    const std::uint32_t ticket = free_.back();
    free_.pop_back();
    ++peer.slots;
    ++peer.unfinished;
    slot = {send_memory_[ticket], slot_bytes_, to, ticket};
    return Busy::no;
  }

  void give_back(SlotOf s) {
    if (s.ticket == kNoSlot) return;
    std::lock_guard hold(slots_);
    --peers_[static_cast<std::size_t>(s.to)].slots;
    free_.push_back(s.ticket);
  }

  // ---- MPI; under mpi_ (which may take slots_, never the other way round) ----

  // Finds sends that have ended and credits that have come; true if there was one.
  bool collect() {
    bool found = false;
    if (!in_flight_.empty()) {
      int ended = 0;
      indices_.resize(in_flight_.size());
      call(MPI_Testsome(count_of(in_flight_.size()), in_flight_.data(), &ended, indices_.data(), MPI_STATUSES_IGNORE),
           "MPI_Testsome");
      if (ended > 0) {  // MPI_UNDEFINED is negative
        found = true;
        std::sort(indices_.begin(), indices_.begin() + ended, std::greater<>());
        for (int i = 0; i < ended; ++i) {
          const auto at = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
          give_back(in_flight_slots_[at]);
          in_flight_[at] = in_flight_.back();
          in_flight_.pop_back();
          in_flight_slots_[at] = in_flight_slots_.back();
          in_flight_slots_.pop_back();
        }
      }
    }
    while (take_credit()) found = true;
    return found;
  }

  bool take_credit() {
    int here = 0;
    MPI_Status status;
    MPI_Request& request = credit_[next_credit_];
    call(MPI_Test(&request, &here, &status), "MPI_Test");
    if (!here) return false;
    call(MPI_Start(&request), "MPI_Start");
    next_credit_ = (next_credit_ + 1) % kCreditReceives;
    std::lock_guard hold(slots_);
    Peer& peer = peers_[static_cast<std::size_t>(status.MPI_SOURCE)];
    peer.unfinished -= half_window_;
    ++credits_taken_;
    return true;
  }

  // One packet into arrived_; false if none is there.
  bool receive() {
    if (size_ == 1) return false;
    if (posted_.empty()) post_new();  // all are held by handlers or lie early for a channel to come
    const std::uint32_t k = posted_.front();
    int here = 0;
    MPI_Status status;
    call(MPI_Test(&receives_[k].request, &here, &status), "MPI_Test");
    if (!here) return false;
    int bytes = 0;
    call(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    posted_.pop_front();
    arrived_.push_back({receives_[k].data, static_cast<std::size_t>(bytes), status.MPI_SOURCE, k});
    return true;
  }

  void post(std::uint32_t k) {
    call(MPI_Start(&receives_[k].request), "MPI_Start");
    posted_.push_back(k);
  }

  void post_new() {
    const std::size_t k = receives_.size();
    if (k == receive_memory_.size()) {
      receive_memory_.grow();
      note_memory();
    }
    receives_.push_back({MPI_REQUEST_NULL, receive_memory_[k]});
    call(MPI_Recv_init(receives_[k].data, count_of(slot_bytes_), MPI_BYTE, MPI_ANY_SOURCE, kPacketTag, comm_,
                       &receives_[k].request),
         "MPI_Recv_init");
    post(static_cast<std::uint32_t>(k));
  }

  void note_memory() { memory_bytes_.store(send_memory_.bytes() + receive_memory_.bytes(), std::memory_order_relaxed); }

  static void cancel(MPI_Request& request) {
    call(MPI_Cancel(&request), "MPI_Cancel");
    finish(request, "MPI_Test");
    if (request != MPI_REQUEST_NULL) call(MPI_Request_free(&request), "MPI_Request_free");
  }

  // Credits may still be on their way to us; a communicator must be empty when it is freed.
  void take_last_credits() {
    std::vector<std::int32_t> sent, coming(peers_.size());
    for (const Peer& p : peers_) sent.push_back(p.credits);
    MPI_Request request;
    call(MPI_Ialltoall(sent.data(), 1, MPI_INT32_T, coming.data(), 1, MPI_INT32_T, comm_, &request), "MPI_Ialltoall");
    finish(request, "MPI_Ialltoall");
    std::int64_t all = 0;
    for (const std::int32_t c : coming) all += c;
    for (Backoff backoff; credits_taken_ < all;)
      if (!take_credit() && !backoff.pause()) backoff.reset();
  }

  void find_nodes() {
    MPI_Comm node = MPI_COMM_NULL;
    call(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    Rank leader = rank_;
    call(MPI_Bcast(&leader, 1, MPI_INT32_T, 0, node), "MPI_Bcast");
    call(MPI_Comm_free(&node), "MPI_Comm_free");
    std::vector<Rank> leaders(static_cast<std::size_t>(size_));
    call(MPI_Allgather(&leader, 1, MPI_INT32_T, leaders.data(), 1, MPI_INT32_T, comm_), "MPI_Allgather");
    std::vector<int> number(leaders.size(), -1);
    int next = 0;
    for (const Rank l : leaders) {
      int& n = number[static_cast<std::size_t>(l)];
      if (n < 0) n = next++;
      nodes_.push_back(n);
    }
  }

  const std::size_t slot_bytes_;
  const std::int32_t slots_per_peer_, half_window_;
  const bool finalize_;
  const MPI_Comm comm_;
  Rank rank_ = 0, size_ = 1;
  std::vector<int> nodes_;
  std::size_t budget_slots_ = 0;
  std::atomic<std::size_t> memory_bytes_{0};
  std::atomic<std::uint32_t> wakes_{0};
  bool closed_ = false;

  SpinLock slots_;
  std::vector<Peer> peers_;  // slots and unfinished under slots_, the others under mpi_
  SlotMemory send_memory_;
  std::vector<std::uint32_t> free_;  // the warmest last

  alignas(64) SpinLock mpi_;
  std::vector<MPI_Request> in_flight_;
  std::vector<SlotOf> in_flight_slots_;
  std::vector<int> indices_;
  SlotMemory receive_memory_;
  std::deque<Receive> receives_;
  std::deque<std::uint32_t> posted_;  // as MPI fills them
  std::deque<Packet> arrived_;        // found by wait(), or about to be handed out
  MPI_Request credit_[kCreditReceives];
  std::size_t next_credit_ = 0;
  std::int64_t credits_taken_ = 0;
};

}  // namespace

std::unique_ptr<MpiFabric> make_fabric(const MpiOptions& options, const std::optional<Launcher>& launcher) {
  return std::make_unique<TwoSided>(options, launcher);
}

}  // namespace atl::mpi
