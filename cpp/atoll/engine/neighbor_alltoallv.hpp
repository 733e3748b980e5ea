// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/traffic/traffic_log.hpp>
#include <atoll/runtime/world.hpp>
#include <deque>
#include <memory>
#include <span>
#include <vector>

/// A sparse all-to-all: in a round each rank sends data of any length to each of its peers. Threads write it directly
/// into the slots that are sent, and it is read from the receive buffer, also while this rank still writes. Each rank
/// knows its senders, so a round needs no reduction. With Plan::exchange "queue" it is sent as the graph engines of the
/// LCI paper send it: one message from each thread to each peer, posted to the message queue without blocking, and
/// received by whichever thread waits.
///
///     NeighborAlltoallv alltoallv(world, capacity, items_to, items_from);  // collective; [rank], 0: never sends
///     alltoallv.exchange(                                       // a round: collective, outside team regions
///         [&](int thread, NeighborAlltoallv::Writer& writer, Rank to, std::size_t item) {
///           writer.commit(gather(writer.reserve(most), to, item));
///         },
///         [&](Rank from, std::span<const std::byte> part) { scatter(from, part); });
///
/// With a third function, threads that would wait do its work instead, a step at a time, for as long as it returns
/// true.
///
/// The threads of the team share the items for a peer. The receiver gets what they write in parts of at most `capacity`
/// bytes, in any order; a reserved block is never split. A peer for which nothing was written in a round still gets
/// one message, of 24 bytes, that ends the round.
///
/// Memory: slots of the fabric, each up to `capacity` bytes; by the queue, buffers of that size, which all exchanges
/// share and the last one frees. Parts of a round that this rank has not begun are copied.
/// A peer sends at most one such part for each of its threads, then waits until it knows that this rank has begun the
/// round. A rank that waits so first announces the round to all of its peers, so ranks that wait for each other
/// proceed.
namespace atl {

class QueueBuffer;
class QueueChannels;

class NeighborAlltoallv {
 public:
  /// capacity: bytes of a part, at most capacity_for(), the same on all ranks. items_to[r]: number of items that the
  /// threads write for rank r, each reserving at most `capacity` bytes at a time; items_from[r]: rank r's items_to for
  /// this rank.
  NeighborAlltoallv(World& world, std::size_t capacity, std::vector<std::size_t> items_to,
                    std::vector<std::size_t> items_from);
  ~NeighborAlltoallv();
  NeighborAlltoallv(const NeighborAlltoallv&) = delete;
  NeighborAlltoallv& operator=(const NeighborAlltoallv&) = delete;

  /// Whether what ranks exchange in rounds goes by the message queue (Plan::exchange).
  static bool by_queue(const World& world) { return world.plan().exchange == "queue"; }

  /// The capacity to use if a rank sends another at most this many bytes in a round.
  static std::size_t capacity_for(World& world, std::size_t bytes);

  /// Writes the data of one thread for one peer after the other.
  class Writer;

  /// Calls write(thread, writer, to, item) for each item of each peer and read(from, part) for each part, on any
  /// thread.
  template <class Write, class Read>
  void exchange(Write&& write, Read&& read) {
    exchange(write, read, [] { return false; });
  }
  /// The same; a thread that would wait calls overlap() first, which does some microseconds of other work, on any
  /// thread, and returns false once there is none left.
  template <class Write, class Read, class Overlap>
  void exchange(Write&& write, Read&& read, Overlap&& overlap);

  /// Bytes of parts received for rounds that this rank has not begun.
  std::size_t memory_bytes() const { return next_round_bytes_; }

 private:
  // Header of a part.
  struct Part {
    std::uint32_t parts;     // on the last part for a peer: number of parts in the round; else 0
    std::uint32_t has_data;  // 0: only announces the round
  };
  struct NextRoundPart {
    Rank from;
    std::uint32_t round;
    std::vector<std::byte> data;
  };
  struct alignas(64) Peer {
    Rank rank;
    std::size_t items;
    std::atomic<std::size_t> next{0};           // first item that no thread has taken
    std::atomic<std::size_t> pending_items{0};  // items not yet published
    bool has_items() const { return next.load(std::memory_order_relaxed) < items; }
    std::atomic<std::uint32_t> parts{0};  // parts published
  };
  struct alignas(64) Source {
    std::atomic<std::int64_t> missing{
        0};  // parts of this round still to come; negative until the last part says how many there are
    std::atomic<std::uint32_t> begun_round{0};  // the latest round that the rank is known to have begun
    std::atomic<bool> is_owed{false};           // the queue took no announcement: it is tried again
  };
  using ReadPart = void (*)(void* context, Rank from, std::span<const std::byte> part);
  using DoOther = bool (*)(void* context);

  static void deliver(void* self, Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes);
  void begin(ReadPart read, void* context, DoOther other, void* other_context);
  /// Until done(), doing other work first.
  template <class Done>
  void wait_until(const char* what, Done&& done);
  void read_part(Rank from, const std::byte* data, std::size_t bytes);
  void store_early(Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes);
  void announce_round(Rank to);
  bool has_begun(Rank peer) const {
    return sources_[peer].begun_round.load(std::memory_order_acquire) >= round_.load(std::memory_order_relaxed);
  }
  /// Further parts for the peer have to wait until it has begun the round.
  bool must_wait(const Peer& peer) const {
    return peer.parts.load(std::memory_order_relaxed) > 0 && !has_begun(peer.rank);
  }
  void announce_to_all();
  void wait_for(Rank peer);
  // Memory for a part: a slot, or a buffer of the queue.
  struct Memory {
    std::byte* data = nullptr;
    Slot slot;
    QueueBuffer* buffer = nullptr;
  };
  bool acquire(Rank to, std::size_t bytes, Memory& memory);
  Memory memory_to(Rank to, std::size_t bytes);
  bool try_publish(Rank to, const Memory& memory, std::size_t bytes);
  void publish(Rank to, const Memory& memory, std::size_t bytes);
  void abandon(const Memory& memory);
  /// Waits, and reads what the queue has received.
  template <class Done>
  void wait_for_peers(const char* what, Done&& done) {
    world_.wait_until(what, done, [&] { return progress(); });
  }
  bool progress() {
    const bool moved = world_.progress();
    return (queue_ && receive_queued()) || moved;
  }
  /// Reads what the queue has received; returns whether there was anything.
  bool receive_queued();
  /// Whether this rank has nothing more to do in the round: all parts have come, and what it sent has left.
  bool round_is_over() const;

  World& world_;
  const std::shared_ptr<QueueChannels> queue_;  // nullptr: parts go in slots
  const std::size_t capacity_;
  std::unique_ptr<AlltoallvLog> traffic_;  // null: it is not kept
  std::deque<Peer> peers_;                 // ranks that this rank sends to, in order from the next rank on
  std::deque<Source> sources_;             // [rank]
  std::vector<Rank> receive_only_;         // ranks that may send this one several parts and receive none
  std::size_t senders_ = 0;
  std::uint32_t channel_ = 0;
  std::atomic<std::uint32_t> round_{0};          // the latest that this rank has begun
  std::atomic<std::size_t> pending_senders_{0};  // senders with parts still to come
  std::atomic<bool> announced_{false};           // this rank has announced the round to all peers
  std::atomic<int> owed_{0};                     // announcements that the queue did not take
  ReadPart read_ = nullptr;
  void* context_ = nullptr;
  DoOther other_ = nullptr;
  void* other_context_ = nullptr;
  SpinLock lock_;
  std::vector<NextRoundPart> next_round_parts_;  // under lock_
  std::size_t next_round_bytes_ = 0;
};

class NeighborAlltoallv::Writer {
 public:
  explicit Writer(NeighborAlltoallv& alltoallv) : alltoallv_(alltoallv) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  /// Returns memory for this many bytes, at most `capacity`. Waits while the fabric is busy; meanwhile parts are
  /// received.
  std::byte* reserve(std::size_t bytes);
  /// Adds this many bytes of the reserved memory to the part.
  void commit(std::size_t bytes) { used_ += bytes; }

 private:
  friend class NeighborAlltoallv;
  bool take_item();
  bool next_item();
  bool try_peer(std::size_t number);
  bool try_open();
  void open();
  void publish_part(bool last);
  void finish_peer();

  NeighborAlltoallv& alltoallv_;
  Peer* peer_ = nullptr;
  std::size_t number_ = 0;  // index of peer_ in peers_
  std::size_t item_ = 0;
  Memory memory_{};        // data == nullptr: none
  std::size_t used_ = 0;   // bytes of it
  std::size_t items_ = 0;  // items taken since it began with this peer
};

template <class Done>
void NeighborAlltoallv::wait_until(const char* what, Done&& done) {
  while (!done()) {
    if (!other_(other_context_)) return wait_for_peers(what, done);
    progress();
  }
}

template <class Write, class Read, class Overlap>
void NeighborAlltoallv::exchange(Write&& write, Read&& read, Overlap&& overlap) {
  using R = std::remove_reference_t<Read>;
  using M = std::remove_reference_t<Overlap>;
  const AlltoallvLog::Round kept(traffic_.get());
  const auto erased = [](auto& f) { return const_cast<void*>(static_cast<const void*>(std::addressof(f))); };
  begin([](void* f, Rank from, std::span<const std::byte> part) { (*static_cast<R*>(f))(from, part); }, erased(read),
        [](void* f) { return (*static_cast<M*>(f))(); }, erased(overlap));
  world_.team().run([&](int thread) {
    Writer writer(*this);
    while (writer.take_item()) write(thread, writer, writer.peer_->rank, writer.item_);
    wait_until("values of vertices from a peer", [&] { return round_is_over(); });
  });
}

}  // namespace atl
