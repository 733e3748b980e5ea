// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <deque>
#include <memory>
#include <span>
#include <vector>

/// What each rank tells each of its peers in a round: of any length, written into the slots that travel and read where
/// it arrives, also while this rank still writes. Who is told something knows by whom, so nobody counts or votes.
///
///     NeighborAlltoallv posts(world, room, items_to, items_from);           // collective; [rank], 0: nothing is ever told
///     posts.exchange(                                           // a round: collective, outside team regions
///         [&](int thread, NeighborAlltoallv::Writer& pen, Rank to, std::size_t item) { pen.wrote(gather(pen.room(most), to, item)); },
///         [&](Rank from, std::span<const std::byte> part) { scatter(from, part); });
///
/// The threads of the team share the items of what a peer is told; what they write comes in any order, in parts of whole
/// rooms. A peer that was told nothing in a round still gets one message, of 24 bytes, that ends it.
///
/// Memory: slots of the fabric, each up to a room. What comes for a round that this rank has not begun is copied; of that, a peer sends one
/// slot for each of its threads before it has heard that the round was begun here. A rank that waits to hear so tells all
/// of its peers that it has begun, so those who wait for each other go on.
namespace atl {

class NeighborAlltoallv {
 public:
  /// room: bytes, at most room_for(), the same on all ranks. items_to[r]: in how many pieces the threads write what rank r
  /// is told, of at most a room each; items_from[r]: its items_to for this rank.
  NeighborAlltoallv(World& world, std::size_t room, std::vector<std::size_t> items_to,
                    std::vector<std::size_t> items_from);
  ~NeighborAlltoallv();
  NeighborAlltoallv(const NeighborAlltoallv&) = delete;
  NeighborAlltoallv& operator=(const NeighborAlltoallv&) = delete;

  /// A room where the longest that any rank tells another is of so many bytes.
  static std::size_t room_for(const World& world, std::size_t bytes);

  /// Where a thread writes what one peer after the other is told.
  class Writer;

  /// write(thread, pen, to, item) for each item of each peer; read(from, part) for each part, on any thread.
  template <class Write, class Read>
  void exchange(Write&& write, Read&& read);

  /// What has come too early.
  std::size_t memory_bytes() const { return early_bytes_; }

 private:
  // The first bytes of what travels.
  struct Part {
    std::uint32_t parts;  // of the round, this one included, on its last; 0 on the others
    std::uint32_t told;   // 0: it only says that the round has begun
  };
  struct Early {
    Rank from;
    std::uint32_t round;
    std::vector<std::byte> data;
  };
  struct alignas(64) Peer {
    Rank rank;
    std::size_t items;
    std::atomic<std::size_t> next{0};  // item that no thread has taken
    std::atomic<std::size_t> left{0};  // items that have not been passed on
    bool has_items() const { return next.load(std::memory_order_relaxed) < items; }
    std::atomic<std::uint32_t> parts{0};  // that have
  };
  struct alignas(64) Source {
    std::atomic<std::int64_t> missing{0};  // parts of this round; negative while nobody has said how many there are
    std::atomic<std::uint32_t> heard{0};   // the latest round that the rank is known to have begun
  };
  using ReadPart = void (*)(void* context, Rank from, std::span<const std::byte> part);

  static void deliver(void* self, Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes);
  void begin(ReadPart read, void* context);
  void take(Rank from, const std::byte* data, std::size_t bytes);
  void keep(Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes);
  void say_begun(Rank to);
  bool has_begun(Rank peer) const {
    return sources_[static_cast<std::size_t>(peer)].heard.load(std::memory_order_acquire) >=
           round_.load(std::memory_order_relaxed);
  }
  /// More for the peer has to wait until it has begun.
  bool is_early(const Peer& peer) const {
    return peer.parts.load(std::memory_order_relaxed) > 0 && !has_begun(peer.rank);
  }
  void say_begun_to_all();
  void wait_for(Rank peer);
  Slot slot_to(Rank to);

  World& world_;
  const std::size_t room_;
  std::deque<Peer> peers_;      // that are told something, from the next rank on
  std::deque<Source> sources_;  // [rank]
  std::vector<Rank> silent_;    // ranks that may tell this one more than a slot and are told nothing
  std::size_t tellers_ = 0;
  std::uint32_t channel_ = 0;
  std::atomic<std::uint32_t> round_{0};  // the latest that was begun
  std::atomic<std::size_t> left_{0};     // tellers of which not all has come
  std::atomic<bool> said_{false};        // to all peers that the round has begun
  ReadPart read_ = nullptr;
  void* context_ = nullptr;
  SpinLock lock_;
  std::vector<Early> early_;  // under lock_
  std::size_t early_bytes_ = 0;
};

class NeighborAlltoallv::Writer {
 public:
  explicit Writer(NeighborAlltoallv& posts) : posts_(posts) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  /// Place for so many bytes, at most a room; waits while the fabric is busy, and reads what comes meanwhile.
  std::byte* room(std::size_t bytes);
  /// So many of them were written.
  void wrote(std::size_t bytes) { used_ += bytes; }

 private:
  friend class NeighborAlltoallv;
  bool take_item();
  bool continues();
  bool try_peer(std::size_t number);
  bool try_open();
  void open();
  void pass_on(bool last);
  void leave();

  NeighborAlltoallv& posts_;
  Peer* peer_ = nullptr;
  std::size_t number_ = 0;  // of the peer
  std::size_t item_ = 0;
  Slot slot_{};            // without memory: there is none
  std::size_t used_ = 0;   // of the slot
  std::size_t items_ = 0;  // that it has come to since it is with this peer
};

template <class Write, class Read>
void NeighborAlltoallv::exchange(Write&& write, Read&& read) {
  using R = std::remove_reference_t<Read>;
  begin([](void* f, Rank from, std::span<const std::byte> part) { (*static_cast<R*>(f))(from, part); },
        const_cast<void*>(static_cast<const void*>(std::addressof(read))));
  world_.team().run([&](int thread) {
    Writer pen(*this);
    while (pen.take_item()) write(thread, pen, pen.peer_->rank, pen.item_);
    world_.wait_until("values of vertices from a peer", [&] { return left_.load(std::memory_order_acquire) == 0; });
  });
}

}  // namespace atl
